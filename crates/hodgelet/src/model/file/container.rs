//! The layout of a model file: safetensors with named tensors and a map of strings.
//!
//! Files are written here rather than by the safetensors crate, which leaves the order of the strings to chance:
//! one model is always the same bytes. They are read by the crate.

use super::FileError;
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Bytes of the number that says how long the header is.
const PREFIX: usize = 8;

/// Longest header that readers of safetensors accept.
pub(super) const MAX_HEADER: usize = 100_000_000;

/// Strings and tensors by name.
#[derive(Debug, Default)]
pub(super) struct Container<'a> {
    pub metadata: BTreeMap<String, String>,
    pub tensors: BTreeMap<String, Tensor<'a>>,
}

/// Numbers in little-endian bytes, row-major.
#[derive(Debug)]
pub(super) struct Tensor<'a> {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Cow<'a, [u8]>,
}

impl<'a> Container<'a> {
    /// Reads what [`to_bytes`](Self::to_bytes) wrote. Nothing is allocated beyond the header.
    pub fn read(bytes: &'a [u8]) -> Result<Self, FileError> {
        check_extent(bytes)?;
        let not_a_model = |e: SafeTensorError| FileError::NotAModel { reason: e.to_string() };
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(not_a_model)?;
        let file = SafeTensors::deserialize(bytes).map_err(not_a_model)?;
        let metadata = header.metadata().clone().unwrap_or_default().into_iter().collect();
        let tensor = |(name, view): (String, safetensors::tensor::TensorView<'a>)| {
            let (dtype, shape, bytes) = (view.dtype(), view.shape().to_vec(), Cow::Borrowed(view.data()));
            (name, Tensor { dtype, shape, bytes })
        };
        Ok(Self { metadata, tensors: file.tensors().into_iter().map(tensor).collect() })
    }

    /// The file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FileError> {
        let mut header = serde_json::Map::new();
        header.insert("__metadata__".to_owned(), serde_json::json!(self.metadata));
        let mut end = 0;
        for (name, tensor) in &self.tensors {
            let start = end;
            end += tensor.bytes.len();
            let dtype = tensor.dtype_name();
            let entry =
                serde_json::json!({"dtype": dtype, "shape": tensor.shape, "data_offsets": [start, end]});
            header.insert(name.clone(), entry);
        }
        let mut header = serde_json::Value::Object(header).to_string().into_bytes();
        header.resize(header.len().next_multiple_of(PREFIX), b' ');
        if header.len() > MAX_HEADER {
            let (found, limit) = (header.len() as u64, MAX_HEADER as u64);
            return Err(FileError::TooLarge { what: "the header", unit: "bytes", found, limit });
        }
        let mut out = Vec::with_capacity(PREFIX + header.len() + end);
        out.extend((header.len() as u64).to_le_bytes());
        out.append(&mut header);
        self.tensors.values().for_each(|tensor| out.extend_from_slice(&tensor.bytes));
        Ok(out)
    }

    /// SHA-256 over `text` and every tensor with its name, kind and shape, in the order of their names.
    pub fn checksum(&self, text: &str) -> String {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        part(text.as_bytes());
        for (name, tensor) in &self.tensors {
            part(name.as_bytes());
            part(tensor.dtype_name().as_bytes());
            part(&tensor.shape.iter().flat_map(|&n| (n as u64).to_le_bytes()).collect::<Vec<u8>>());
            part(&tensor.bytes);
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The tensor `name`.
    pub fn tensor(&self, name: &str) -> Result<&Tensor<'a>, FileError> {
        self.tensors.get(name).ok_or_else(|| fault(name, "is missing"))
    }

    /// The finite reals of tensor `name`, which must have this shape.
    pub fn reals(&self, name: &str, shape: &[usize]) -> Result<Vec<f64>, FileError> {
        let bytes = self.tensor(name)?.expect(name, Dtype::F64, shape)?;
        let number = |chunk: &[u8]| f64::from_le_bytes(chunk.try_into().expect("chunks have 8 bytes"));
        let values: Vec<f64> = bytes.chunks_exact(8).map(number).collect();
        match values.iter().find(|value| !value.is_finite()) {
            Some(value) => Err(fault(name, format!("holds {value}, expected finite numbers"))),
            None => Ok(values),
        }
    }

    /// The whole numbers of tensor `name`, which must have this shape.
    pub fn wholes(&self, name: &str, shape: &[usize]) -> Result<Vec<u32>, FileError> {
        let bytes = self.tensor(name)?.expect(name, Dtype::U32, shape)?;
        let number = |chunk: &[u8]| u32::from_le_bytes(chunk.try_into().expect("chunks have 4 bytes"));
        Ok(bytes.chunks_exact(4).map(number).collect())
    }

    /// The identifiers of tensor `name`, which must have this shape.
    pub fn longs(&self, name: &str, shape: &[usize]) -> Result<Vec<u64>, FileError> {
        let bytes = self.tensor(name)?.expect(name, Dtype::U64, shape)?;
        let number = |chunk: &[u8]| u64::from_le_bytes(chunk.try_into().expect("chunks have 8 bytes"));
        Ok(bytes.chunks_exact(8).map(number).collect())
    }

    /// The bytes of tensor `name`, however many.
    pub fn bytes(&self, name: &str) -> Result<&[u8], FileError> {
        let tensor = self.tensor(name)?;
        tensor.expect(name, Dtype::U8, &[tensor.len()])
    }
}

impl Tensor<'_> {
    pub fn bytes(bytes: Vec<u8>) -> Self {
        Self { dtype: Dtype::U8, shape: vec![bytes.len()], bytes: bytes.into() }
    }

    pub fn reals(shape: &[usize], values: impl Iterator<Item = f64>) -> Self {
        let bytes = values.flat_map(f64::to_le_bytes).collect::<Vec<u8>>().into();
        Self { dtype: Dtype::F64, shape: shape.to_vec(), bytes }
    }

    pub fn wholes(values: impl Iterator<Item = u32>) -> Self {
        let bytes: Vec<u8> = values.flat_map(u32::to_le_bytes).collect();
        Self { dtype: Dtype::U32, shape: vec![bytes.len() / 4], bytes: bytes.into() }
    }

    pub fn longs(values: impl Iterator<Item = u64>) -> Self {
        let bytes: Vec<u8> = values.flat_map(u64::to_le_bytes).collect();
        Self { dtype: Dtype::U64, shape: vec![bytes.len() / 8], bytes: bytes.into() }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    fn dtype_name(&self) -> String {
        self.dtype.to_string()
    }

    fn expect(&self, name: &str, dtype: Dtype, shape: &[usize]) -> Result<&[u8], FileError> {
        if self.dtype != dtype {
            return Err(fault(name, format!("holds {}, expected {dtype}", self.dtype)));
        }
        if self.shape != shape {
            return Err(fault(name, format!("is {:?}, expected {shape:?}", self.shape)));
        }
        Ok(&self.bytes)
    }
}

pub(super) fn fault(name: &str, fault: impl Into<String>) -> FileError {
    FileError::Tensor { name: name.to_owned(), fault: fault.into() }
}

/// Examines that the file holds what its header describes, before the safetensors crate adds the numbers up.
fn check_extent(bytes: &[u8]) -> Result<(), FileError> {
    let found = bytes.len() as u64;
    let not_a_model = |reason: String| FileError::NotAModel { reason };
    let Some((prefix, rest)) = bytes.split_first_chunk::<PREFIX>() else {
        return Err(FileError::Truncated { expected: PREFIX as u64, found });
    };
    let length = u64::from_le_bytes(*prefix);
    if length > MAX_HEADER as u64 {
        return Err(not_a_model(format!("its header would have {length} bytes")));
    }
    let start = PREFIX as u64 + length;
    let header = rest.get(..length as usize).ok_or(FileError::Truncated { expected: start, found })?;
    let header: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(header).map_err(|e| not_a_model(e.to_string()))?;
    let ends = header.values().filter_map(|entry| entry.get("data_offsets")?.get(1)?.as_u64());
    match ends.max().map(|end| start.saturating_add(end)) {
        Some(expected) if expected > found => Err(FileError::Truncated { expected, found }),
        _ => Ok(()),
    }
}
