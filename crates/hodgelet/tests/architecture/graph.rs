//! A graph of names, written as lines `user → used, used`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// For each name, the names it uses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph(BTreeMap<String, BTreeSet<String>>);

impl Graph {
    /// The graph that lines `user → used, used` describe; a name that uses nothing is on a line alone.
    pub fn parse(text: &str) -> Self {
        let mut graph = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (user, used) = line.split_once('→').unwrap_or((line, ""));
            let used = used.split(',').map(str::trim).filter(|name| !name.is_empty());
            graph.add(user.trim(), used);
        }
        graph
    }

    /// Adds arrows from `user`; none add the name alone.
    pub fn add<'a>(&mut self, user: &str, used: impl IntoIterator<Item = &'a str>) {
        self.0.entry(user.to_owned()).or_default().extend(used.into_iter().map(str::to_owned));
    }

    /// The first cycle, or every arrow in which this graph and the drawn one differ and the lines to draw.
    pub fn check(&self, drawn: &Self) -> Result<(), String> {
        if let Some(cycle) = self.cycle() {
            return Err(format!("a cycle: {}", cycle.join(" → ")));
        }
        let (found, drawn) = (self.arrows(), drawn.arrows());
        let missing = found.difference(&drawn).map(|arrow| format!("not drawn: {arrow}"));
        let extra = drawn.difference(&found).map(|arrow| format!("drawn, but not there: {arrow}"));
        let all: Vec<String> = missing.chain(extra).collect();
        if all.is_empty() {
            Ok(())
        } else {
            Err(format!("{}\n\nthe lines should be\n\n{self}", all.join("\n")))
        }
    }

    /// Names and arrows as they are written.
    fn arrows(&self) -> BTreeSet<String> {
        let arrows = |(user, used): (&String, &BTreeSet<String>)| {
            let arrows: Vec<String> = used.iter().map(|used| format!("{user} → {used}")).collect();
            std::iter::once(user.clone()).chain(arrows)
        };
        self.0.iter().flat_map(arrows).collect()
    }

    /// Names in an order in which each uses only names before it, as far as there is no cycle.
    fn ordered(&self) -> Vec<&str> {
        let mut order: Vec<&str> = Vec::new();
        loop {
            let ready = |(user, used): &(&String, &BTreeSet<String>)| {
                !order.contains(&user.as_str()) && used.iter().all(|name| order.contains(&name.as_str()))
            };
            let layer: Vec<&str> = self.0.iter().filter(ready).map(|(user, _)| user.as_str()).collect();
            if layer.is_empty() {
                return order;
            }
            order.extend(layer);
        }
    }

    fn cycle(&self) -> Option<Vec<&str>> {
        let order = self.ordered();
        let in_or_above = |name: &&str| !order.contains(name);
        // Every name that is left uses another one that is left: following them comes back.
        let mut path = vec![self.0.keys().map(String::as_str).find(in_or_above)?];
        loop {
            let used = self.0.get(path[path.len() - 1])?;
            let next = used.iter().map(String::as_str).find(in_or_above)?;
            if let Some(start) = path.iter().position(|&name| name == next) {
                path.push(next);
                return Some(path.split_off(start));
            }
            path.push(next);
        }
    }
}

/// The lines, each after those of the names it uses.
impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = self.ordered();
        let rest = self.0.keys().map(String::as_str).filter(|name| !order.contains(name));
        for user in order.iter().copied().chain(rest) {
            let used: Vec<&str> = self.0[user].iter().map(String::as_str).collect();
            let arrow = if used.is_empty() { "" } else { " → " };
            writeln!(f, "{user}{arrow}{}", used.join(", "))?;
        }
        Ok(())
    }
}

#[test]
fn a_cycle_is_found_even_when_it_is_drawn() {
    let graph = Graph::parse("a → b\nb → c\nc → d, b\nd");
    assert_eq!(graph.check(&graph), Err("a cycle: b → c → b".to_owned()));
    let graph = Graph::parse("a → a");
    assert_eq!(graph.check(&graph), Err("a cycle: a → a".to_owned()));
}

#[test]
fn arrows_on_one_side_only_are_named() {
    let found = Graph::parse("top → middle, bottom\nmiddle → bottom\nbottom");
    assert_eq!(found.check(&found), Ok(()));
    let drawn = Graph::parse("top → middle\nmiddle → bottom\nbottom → other\nother");
    let expected =
        "not drawn: top → bottom\ndrawn, but not there: bottom → other\ndrawn, but not there: other";
    let message = found.check(&drawn).unwrap_err();
    assert!(message.starts_with(expected) && message.ends_with(&found.to_string()), "{message}");
}

#[test]
fn lines_stand_after_those_of_the_names_they_use() {
    let text = "bottom\nmiddle → bottom\ntop → bottom, middle\n";
    assert_eq!(Graph::parse("top → middle, bottom\nmiddle → bottom\nbottom").to_string(), text);
}
