//! Parquet files as tables of text.

use super::{Table, TableError};
use arrow_array::RecordBatch;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use bytes::Bytes;
use hodgelet::contain::contained;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::file::reader::ChunkReader;
use std::fs::File;
use std::panic::AssertUnwindSafe;
use std::path::Path;

/// The columns of a Parquet file, numbers as they are printed; what is null is empty.
pub(super) fn parse(file: &str, bytes: Vec<u8>) -> Result<Table, TableError> {
    let mut batches = Batches::new(file, Bytes::from(bytes), usize::from(u16::MAX))?;
    let mut rows = Vec::new();
    while let Some(some) = batches.next_rows()? {
        rows.extend(some);
    }
    Ok(Table::of(batches.header, rows))
}

/// A Parquet file as it is read, some rows at a time.
pub(super) struct Batches {
    file: String,
    header: Vec<String>,
    reader: ParquetRecordBatchReader,
}

impl Batches {
    /// Opens a file to be read `n` rows at a time; pages of it that hold other rows are not in memory.
    pub fn open(file: &str, path: &Path, n: usize) -> Result<Self, TableError> {
        let open = File::open(path).map_err(|source| TableError::Io { path: path.to_owned(), source })?;
        Self::new(file, open, n)
    }

    fn new(file: &str, source: impl ChunkReader + 'static, n: usize) -> Result<Self, TableError> {
        let (header, reader) = guarded(file, || {
            let builder = ParquetRecordBatchReaderBuilder::try_new(source).map_err(|e| e.to_string())?;
            let header = builder.schema().fields().iter().map(|field| field.name().clone()).collect();
            Ok((header, builder.with_batch_size(n).build().map_err(|e| e.to_string())?))
        })?;
        Ok(Self { file: file.to_owned(), header, reader })
    }

    /// The next rows; none at the end.
    pub fn next(&mut self) -> Result<Option<Table>, TableError> {
        Ok(self.next_rows()?.map(|rows| Table::of(self.header.clone(), rows)))
    }

    fn next_rows(&mut self) -> Result<Option<Vec<Vec<String>>>, TableError> {
        let reader = &mut self.reader;
        guarded(&self.file, || match reader.next() {
            Some(batch) => rows(&batch.map_err(|e| e.to_string())?).map(Some),
            None => Ok(None),
        })
    }
}

/// What `read` returns; the reader may panic at what was made up.
fn guarded<T>(file: &str, read: impl FnOnce() -> Result<T, String>) -> Result<T, TableError> {
    let found = contained(AssertUnwindSafe(read));
    let found = found.unwrap_or_else(|| Err("not a Parquet file that can be read".to_owned()));
    found.map_err(|what| TableError::Parquet { file: file.to_owned(), what })
}

fn rows(batch: &RecordBatch) -> Result<Vec<Vec<String>>, String> {
    let options = FormatOptions::default();
    let columns = batch.columns().iter().map(|column| ArrayFormatter::try_new(column.as_ref(), &options));
    let columns = columns.collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
    let row = |row: usize| {
        let cell = |column: &ArrayFormatter<'_>| column.value(row).try_to_string().map_err(|e| e.to_string());
        columns.iter().map(cell).collect()
    };
    (0..batch.num_rows()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, Float64Array, StringArray};
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::WriterProperties;
    use std::sync::Arc;

    const ROWS: usize = 9_500;

    /// A table in row groups of 1,000, with a number in every other row.
    fn written() -> Vec<u8> {
        let smiles = StringArray::from_iter_values((0..ROWS).map(|i| "C".repeat(1 + i % 5)));
        let numbers = Float64Array::from_iter((0..ROWS).map(|i| (i % 2 == 0).then_some(0.25 * i as f64)));
        let columns: [(&str, ArrayRef); 2] = [("smiles", Arc::new(smiles)), ("y", Arc::new(numbers))];
        let batch =
            RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)));
        let batch = batch.unwrap();
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(1_000)).build();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    }

    #[test]
    fn rows_some_at_a_time_are_those_of_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        std::fs::write(&path, written()).unwrap();
        let whole = parse("t.parquet", written()).unwrap();
        assert_eq!((whole.len(), whole.header()), (ROWS, &["smiles".to_owned(), "y".to_owned()][..]));
        assert_eq!([whole.cell(2, 0), whole.cell(2, 1), whole.cell(3, 1)], ["CCC", "0.5", ""]);
        let mut batches = Batches::open("t.parquet", &path, 4_096).unwrap();
        let mut begin = 0;
        while let Some(part) = batches.next().unwrap() {
            assert!(part.len() <= 4_096 && part.header() == whole.header());
            for row in 0..part.len() {
                for column in 0..2 {
                    assert_eq!(part.cell(row, column), whole.cell(begin + row, column));
                }
            }
            begin += part.len();
        }
        assert_eq!(begin, ROWS);
    }

    #[test]
    fn what_is_damaged_is_an_error() {
        let bytes = written();
        for end in [0, 7, bytes.len() / 2, bytes.len() - 1] {
            assert!(
                matches!(parse("t.parquet", bytes[..end].to_vec()), Err(TableError::Parquet { .. })),
                "{end}"
            );
        }
    }
}
