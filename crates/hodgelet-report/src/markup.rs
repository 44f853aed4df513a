//! Elements of SVG and HTML as values: text and attributes are escaped when they are written, wherever they come from.

use std::fmt::Write;

/// An element with its attributes and content.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    children: Vec<Child>,
}

#[derive(Clone, Debug, PartialEq)]
enum Child {
    Element(Element),
    Text(String),
    /// Script, style or JSON, made safe by who wrote it.
    Raw(String),
}

/// An element without content.
#[must_use]
pub fn el(name: &'static str) -> Element {
    Element { name, attributes: Vec::new(), children: Vec::new() }
}

impl Element {
    /// With one more attribute.
    #[must_use]
    pub fn at(mut self, name: &'static str, value: impl ToString) -> Self {
        self.attributes.push((name, value.to_string()));
        self
    }

    /// With one more attribute that is a length: one decimal.
    #[must_use]
    pub fn num(self, name: &'static str, value: f64) -> Self {
        self.at(name, short(value))
    }

    /// With text at the end of its content.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.children.push(Child::Text(text.into()));
        self
    }

    /// With an element at the end of its content.
    #[must_use]
    pub fn with(mut self, child: Self) -> Self {
        self.children.push(Child::Element(child));
        self
    }

    /// With elements at the end of its content.
    #[must_use]
    pub fn with_all(mut self, children: impl IntoIterator<Item = Self>) -> Self {
        self.children.extend(children.into_iter().map(Child::Element));
        self
    }

    /// With text that is written as it is: for scripts, styles and JSON of this crate alone.
    pub(crate) fn raw(mut self, text: impl Into<String>) -> Self {
        self.children.push(Child::Raw(text.into()));
        self
    }

    /// With an element at the beginning of its content.
    #[must_use]
    pub fn first(mut self, child: Self) -> Self {
        self.children.insert(0, Child::Element(child));
        self
    }

    /// Width and height of a picture; 0 where it says none.
    #[must_use]
    pub fn size(&self) -> (f64, f64) {
        let of = |wanted: &str| {
            let found = self.attributes.iter().find(|(name, _)| *name == wanted);
            found.and_then(|(_, value)| value.parse().ok()).unwrap_or(0.0)
        };
        (of("width"), of("height"))
    }

    /// What its title says, by which it is called.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        let titles = self.children.iter().filter_map(|child| match child {
            Child::Element(element) if element.name == "title" => element.children.first(),
            _ => None,
        });
        titles
            .into_iter()
            .find_map(|child| if let Child::Text(text) = child { Some(&text[..]) } else { None })
    }

    /// Adds an element to its content.
    pub fn push(&mut self, child: Self) {
        self.children.push(Child::Element(child));
    }

    /// As text.
    #[must_use]
    pub fn render(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        write!(out, "<{}", self.name).expect("writing to a string cannot fail");
        for (name, value) in &self.attributes {
            write!(out, " {name}=\"{}\"", escape(value)).expect("writing to a string cannot fail");
        }
        if self.children.is_empty() && VOID.contains(&self.name) {
            *out += ">";
        } else if self.children.is_empty() && SHAPES.contains(&self.name) {
            *out += "/>";
        } else {
            *out += ">";
            for child in &self.children {
                match child {
                    Child::Element(element) => element.write(out),
                    Child::Text(text) => *out += &escape(text),
                    Child::Raw(text) => *out += text,
                }
            }
            write!(out, "</{}>", self.name).expect("writing to a string cannot fail");
        }
        if LINES.contains(&self.name) {
            out.push('\n');
        }
    }
}

/// Elements of HTML that have no end.
const VOID: [&str; 5] = ["meta", "input", "br", "hr", "link"];
/// Shapes of SVG, which end in themselves.
const SHAPES: [&str; 6] = ["path", "rect", "line", "circle", "polygon", "polyline"];
/// Elements after which a line ends, so that two files can be compared line by line.
const LINES: [&str; 12] =
    ["svg", "section", "p", "tr", "h1", "h2", "h3", "figure", "div", "li", "meta", "title"];

/// Text safe inside an element and inside quotes; characters that XML does not allow become spaces.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '\'' => safe += "&#39;",
            '"' => safe += "&quot;",
            '\u{fffe}' | '\u{ffff}' => safe.push(' '),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

/// JSON that can stand in an element of a page: nothing in it ends the element.
#[must_use]
pub fn json_in_page(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            // In JSON these stand in strings alone.
            '<' => safe += "\\u003c",
            '>' => safe += "\\u003e",
            '&' => safe += "\\u0026",
            '\u{2028}' => safe += "\\u2028",
            '\u{2029}' => safe += "\\u2029",
            c => safe.push(c),
        }
    }
    safe
}

/// A length with one decimal and no more zeros than needed; what is not finite is 0.
#[must_use]
pub fn short(value: f64) -> String {
    let rounded = (10.0 * value).round() / 10.0;
    if !rounded.is_finite() || rounded == 0.0 {
        return "0".to_owned();
    }
    if rounded == rounded.trunc() { format!("{rounded:.0}") } else { format!("{rounded:.1}") }
}

/// A number for people: whole ones as such, others with three or four significant digits.
#[must_use]
pub fn number(value: f64) -> String {
    let size = value.abs();
    if (value - value.round()).abs() <= 1e-9 * size && size < 1e15 {
        return format!("{:.0}", value.round() + 0.0);
    }
    match size {
        100.0..1e15 => format!("{value:.1}"),
        10.0..100.0 => format!("{value:.2}"),
        0.01..10.0 => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    }
}

/// Text of at most `limit` characters, cut at its end with an ellipsis.
#[must_use]
pub fn cut(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    text.chars().take(limit.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_cannot_leave_their_place() {
        let hostile = "</p><script>alert('x\")</script>&\u{0}";
        let found = el("p").at("title", hostile).text(hostile).render();
        assert_eq!(found.matches('<').count(), 2, "{found}");
        assert!(found.starts_with("<p title=\"&lt;/p&gt;&lt;script&gt;alert(&#39;x&quot;)"), "{found}");
        assert!(!found.contains('\u{0}'));
    }

    #[test]
    fn json_in_a_page_reads_back_and_has_no_tags() {
        let value = serde_json::json!(["</script><!--", "a & b", "\u{2028}"]);
        let found = json_in_page(&value.to_string());
        assert!(!found.contains(['<', '>', '&', '\u{2028}']));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&found).unwrap(), value);
    }

    #[test]
    fn lengths_and_numbers_are_short() {
        assert_eq!([1.0, 0.04, -0.04, 2.25, -3.5, f64::NAN].map(short), ["1", "0", "0", "2.3", "-3.5", "0"]);
        assert_eq!([188.0, 0.333_33, 1234.5, 1e-9].map(number), ["188", "0.333", "1234.5", "1.00e-9"]);
        assert_eq!((cut("abcdef", 4).as_str(), cut("äöü", 3).as_str()), ("abc…", "äöü"));
    }

    #[test]
    fn empty_elements_are_written_as_their_language_wants_them() {
        let found = el("div").with(el("input")).with(el("path")).with(el("b"));
        assert_eq!(found.render(), "<div><input><path/><b></b></div>\n");
    }
}
