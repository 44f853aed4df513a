//! Parquet files as tables of text.

use super::{Table, TableError};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

/// The columns of a Parquet file, numbers as they are printed; what is null is empty.
pub(super) fn parse(file: &str, bytes: Vec<u8>) -> Result<Table, TableError> {
    // The reader may panic at what was made up.
    let found = std::panic::catch_unwind(|| read(bytes));
    let found = found.unwrap_or_else(|_| Err("not a Parquet file that can be read".to_owned()));
    found.map_err(|what| TableError::Parquet { file: file.to_owned(), what })
}

fn read(bytes: Vec<u8>) -> Result<Table, String> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).map_err(|e| e.to_string())?;
    let header = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
    let mut rows = Vec::new();
    let options = FormatOptions::default();
    for batch in reader.build().map_err(|e| e.to_string())? {
        let batch = batch.map_err(|e| e.to_string())?;
        let columns = batch.columns().iter().map(|column| ArrayFormatter::try_new(column.as_ref(), &options));
        let columns = columns.collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
        for row in 0..batch.num_rows() {
            let cell =
                |column: &ArrayFormatter<'_>| column.value(row).try_to_string().map_err(|e| e.to_string());
            rows.push(columns.iter().map(cell).collect::<Result<Vec<_>, _>>()?);
        }
    }
    Ok(Table::of(header, rows))
}
