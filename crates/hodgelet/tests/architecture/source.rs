//! From source files and manifests to graphs, without a parser of the language: paths that begin with `crate::` or climb
//! to it by `super::`, outside comments, literals and tests.

use super::Graph;
use std::path::{Path, PathBuf};

/// Files that hold tests only.
const TEST_FILES: [&str; 2] = ["tests.rs", "testing.rs"];

/// A file as text.
pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The entries of a directory.
fn entries(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    entries.map(|entry| entry.expect("an entry of a directory can be read").path()).collect()
}

/// Which top-level module of the crate in `src` uses which.
pub fn modules(src: &Path) -> Graph {
    let name = |path: &PathBuf| path.file_stem().and_then(|s| s.to_str()).map(str::to_owned);
    let names: Vec<String> = entries(src).iter().filter_map(name).filter(|name| name != "lib").collect();
    let mut graph = Graph::default();
    for file in files(src) {
        let mut path: Vec<&str> =
            file.strip_prefix(src).expect("it was found there").iter().filter_map(|s| s.to_str()).collect();
        if path.last() == Some(&"mod.rs") {
            path.pop();
        }
        let module = path[0].trim_end_matches(".rs");
        let used = references(&code(&read(&file)), path.len());
        if let Some(other) = used.iter().find(|other| !names.contains(other)) {
            panic!("{}: `crate::{other}` is not the path of a module", file.display());
        }
        graph.add(module, used.iter().map(String::as_str).filter(|other| *other != module));
    }
    graph
}

/// The source files of all modules, without those of tests.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in entries(dir) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            found.extend(files(&path));
        } else if name.ends_with(".rs") && name != "lib.rs" && !TEST_FILES.contains(&name) {
            found.push(path);
        }
    }
    found
}

/// Which crate of the directory depends on which, tests and examples aside.
pub fn crates(dir: &Path) -> Graph {
    let crates = entries(dir).into_iter().filter(|path| path.is_dir());
    let names: Vec<String> = crates.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect();
    let mut graph = Graph::default();
    for name in &names {
        let used = dependencies(&read(&dir.join(name).join("Cargo.toml")));
        graph.add(name, names.iter().filter(|other| used.contains(other)).map(String::as_str));
    }
    graph
}

/// Names in the tables of dependencies of a manifest.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(table) = line.strip_prefix('[') {
            let table = table.trim_end_matches(']');
            inside = table == "dependencies" || table.ends_with(".dependencies");
            found.extend(table.strip_prefix("dependencies.").map(str::to_owned));
        } else if inside && !line.starts_with('#') {
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
            found.push(name.trim_matches('"').to_owned());
        }
    }
    found
}

/// The names of modules in paths that begin at the root of the crate, in a module `depth` below it.
fn references(code: &str, depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::").chain(code.match_indices("super::")) {
        let (before, mut rest) = code.split_at(at);
        // Part of another word, or a later step of a path, or only who may see an item: `pub(in crate::…)`.
        if before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') || before.ends_with("(in ")
        {
            continue;
        }
        let mut climbed = if rest.starts_with("crate::") { depth } else { 0 };
        while let Some(after) = rest.strip_prefix("super::").or_else(|| rest.strip_prefix("crate::")) {
            climbed += usize::from(rest.starts_with("super::"));
            rest = after;
        }
        if climbed >= depth {
            found.extend(heads(rest));
        }
    }
    found
}

/// The first names of a path or of each path in a group `{a::b, c}`.
fn heads(path: &str) -> Vec<String> {
    let head = |path: &str| -> String {
        path.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let Some(group) = path.strip_prefix('{') else { return vec![head(path)] };
    let mut found = vec![head(group)];
    let mut depth = 1;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => found.push(head(&group[at + 1..])),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

/// A source without comments, literals and items marked `#[cfg(test)]`.
fn code(source: &str) -> String {
    const TEST: &str = "#[cfg(test)]";
    let mut rest = &*plain(source);
    let mut out = String::new();
    while let Some((before, item)) = rest.split_once(TEST) {
        out.push_str(before);
        rest = &item[item_end(item)..];
    }
    out + rest
}

/// Where the item at the start of `code` ends: after a semicolon or a block outside brackets.
fn item_end(code: &str) -> usize {
    let mut depth = 0;
    for (at, c) in code.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 && matches!(c, ';' | '}') {
            return at + 1;
        }
    }
    code.len()
}

/// A source without comments and literals.
fn plain(source: &str) -> String {
    let mut out = String::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let skipped = comment(rest).or_else(|| literal(rest));
        if skipped.is_none() {
            out.push(c);
        }
        rest = &rest[skipped.unwrap_or(c.len_utf8())..];
    }
    out
}

/// Length of the comment at the start of `text`; comments nest.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if !text.starts_with("/*") {
        return None;
    }
    let mut depth = 0;
    for at in text.char_indices().map(|(at, _)| at) {
        match text.as_bytes().get(at..at + 2) {
            Some(b"/*") => depth += 1,
            Some(b"*/") => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 2);
        }
    }
    Some(text.len())
}

/// Length of the string or character at the start of `text`.
fn literal(text: &str) -> Option<usize> {
    if let Some(raw) = text.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let inner = raw[hashes..].strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(hashes));
        return Some(inner.find(&end).map_or(text.len(), |at| 1 + hashes + 1 + at + end.len()));
    }
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut chars = text.char_indices().skip(1);
    if quote == '\'' {
        // A lifetime has no quote after its first letter.
        let (_, first) = chars.clone().next()?;
        let (_, second) = chars.clone().nth(1)?;
        if first != '\\' && second != '\'' {
            return None;
        }
    }
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    Some(text.len())
}

#[test]
fn paths_from_the_root_are_references() {
    let source = r##"
        //! [`Doc`](crate::doc::Doc)
        use crate::{alpha::{A, B}, beta, gamma::C};
        pub(in crate::hidden) fn f<'a>(x: &'a crate::delta::D) -> char {
            let text = ("crate::text", r#""crate::raw"#, '"', '\''); // crate::comment
            /* crate::outer /* crate::inner */ crate::outer */
            super::super::epsilon::call(super::sibling, my_crate::x)
        }
        #[cfg(test)]
        use crate::{test_use};
        #[cfg(test)]
        mod tests { fn f(x: [u8; 2]) { crate::test_mod::f() } }
        type Last = crate::zeta::Z;
    "##;
    let mut found = references(&code(source), 2);
    found.sort();
    assert_eq!(found, ["alpha", "beta", "delta", "epsilon", "gamma", "zeta"]);
    assert_eq!(references("use super::other::X;", 1), ["other"]);
}

#[test]
fn only_dependencies_of_the_library_count() {
    let manifest = "[package]\nname = \"x\"\n[dependencies]\na.workspace = true\n# b = 1\nc = { path = \"c\" }\n\
                    [target.'cfg(unix)'.dependencies]\nd = \"1\"\n[dependencies.e]\nversion = \"1\"\n\
                    [dev-dependencies]\nf = \"1\"\n";
    let mut found = dependencies(manifest);
    found.retain(|name| !name.is_empty());
    assert_eq!(found, ["a", "c", "d", "e"]);
}
