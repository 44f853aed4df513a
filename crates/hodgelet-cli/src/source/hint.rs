//! What may have been meant by a name that is not known.

use crate::download::KNOWN_DATASETS;
use hodgelet_data::edits;
use hodgelet_data::generate::Builtin;

/// What someone who asked for `name` may have meant.
pub(super) fn unknown_hint(name: &str) -> Option<String> {
    if KNOWN_DATASETS.iter().any(|known| known.name == name) {
        return Some(format!("`hodgelet datasets get {name}` downloads it"));
    }
    let all = Builtin::all();
    let builtin = all.iter().map(Builtin::name);
    let known = KNOWN_DATASETS.iter().map(|known| known.name);
    match nearest(name, builtin.chain(known)) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None => Some("`hodgelet datasets list` shows names; --data-dir says where datasets are".to_owned()),
    }
}

/// The nearest of some names, if one is near.
#[must_use]
pub fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names.filter_map(|other| Some((edits(name, other)?, other))).min().map(|(_, near)| near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_name_what_is_near_or_where_to_get_it() {
        assert_eq!(unknown_hint("vector-field").as_deref(), Some("did you mean `vector-fields`?"));
        assert_eq!(unknown_hint("MUTGA").as_deref(), Some("did you mean `MUTAG`?"));
        assert_eq!(unknown_hint("MUTAG").as_deref(), Some("`hodgelet datasets get MUTAG` downloads it"));
        assert!(unknown_hint("something else").unwrap().starts_with("`hodgelet datasets list`"));
    }
}
