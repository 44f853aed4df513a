//! A model file with the checksum that its content should have: damage then reaches what lies behind the checksum.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Bytes of the number that says how long the header is.
const PREFIX: usize = 8;

/// The file with the right checksum; none if its layout cannot be read.
pub fn signed(bytes: &[u8]) -> Option<Vec<u8>> {
    let length = usize::try_from(u64::from_le_bytes(bytes.get(..PREFIX)?.try_into().ok()?)).ok()?;
    let content = bytes.get(PREFIX.checked_add(length)?..)?;
    let mut header: Value = serde_json::from_slice(bytes.get(PREFIX..PREFIX + length)?).ok()?;
    let sum = checksum(&header, content)?;
    *header.get_mut("__metadata__")?.get_mut("sha256")? = sum.into();
    let mut text = header.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(PREFIX), b' ');
    Some([&(text.len() as u64).to_le_bytes()[..], &text, content].concat())
}

/// SHA-256 of the JSON and of every tensor with its name, kind and shape.
fn checksum(header: &Value, content: &[u8]) -> Option<String> {
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    part(header.get("__metadata__")?.get("model")?.as_str()?.as_bytes());
    // Names come in order from a map of this kind, as the format has them.
    for (name, tensor) in header.as_object()?.iter().filter(|(name, _)| *name != "__metadata__") {
        let shape =
            tensor.get("shape")?.as_array()?.iter().map(Value::as_u64).collect::<Option<Vec<u64>>>()?;
        let offsets = tensor.get("data_offsets")?.as_array()?;
        let [start, end] = [0, 1].map(|i| offsets.get(i).and_then(Value::as_u64).map(|at| at as usize));
        part(name.as_bytes());
        part(tensor.get("dtype")?.as_str()?.as_bytes());
        part(&shape.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>());
        part(content.get(start?..end?)?);
    }
    Some(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
