//! How many entries the directory of a zip archive lists; readers that map names to entries keep the last of a name.

/// What the end of the directory begins with, and the place of the number of entries in it.
const END: [u8; 4] = *b"PK\x05\x06";
const END_LENGTH: usize = 22;
/// The same of archives with more than 65,534 entries.
const LONG_LOCATOR: [u8; 4] = *b"PK\x06\x07";
const LONG_LOCATOR_LENGTH: usize = 20;
const LONG_END: [u8; 4] = *b"PK\x06\x06";

/// Entries that the directory of an archive lists; none if there is no directory.
pub(super) fn entries_listed(bytes: &[u8]) -> Option<u64> {
    // A comment of up to 65,535 bytes may follow.
    let last = bytes.len().checked_sub(END_LENGTH)?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    let is_end = |&at: &usize| {
        let comment = u16_at(bytes, at + 20).map(usize::from);
        bytes[at..].starts_with(&END) && comment == Some(bytes.len() - at - END_LENGTH)
    };
    let at = (first..=last).rev().find(is_end)?;
    match u16_at(bytes, at + 10)? {
        u16::MAX => long_count(bytes, at).or(Some(u64::from(u16::MAX))),
        listed => Some(u64::from(listed)),
    }
}

fn long_count(bytes: &[u8], end: usize) -> Option<u64> {
    let locator = end.checked_sub(LONG_LOCATOR_LENGTH)?;
    if !bytes[locator..].starts_with(&LONG_LOCATOR) {
        return None;
    }
    let at = usize::try_from(u64_at(bytes, locator + 8)?).ok()?;
    bytes.get(at..)?.starts_with(&LONG_END).then(|| u64_at(bytes, at.checked_add(32)?))?
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}
