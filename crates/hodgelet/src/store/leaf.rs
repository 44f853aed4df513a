//! One leaf as a Parquet file: a row group with a row for each complex.
//!
//! Columns are `id`, `target` (a number, or the place of the class), `dimensions`, and for each dimension its `channels`, its
//! `betti` number (null without a signal) and for each component the lists of its measure: `vertex exact eigenvalues`,
//! `live` (channels that have a value), `scales`, `energies` (for each live channel those of all eigenvalues) and `errors`.
//! Labels and values have columns of their own ([`others`]).

use super::others;
use crate::contain::contained;
use crate::feature::{Block, Component};
use crate::measure::{ComplexMeasures, DimMeasures, EnergyMeasure, EnergyParts, SignedMeasure};
use arrow_array::builder::{ListBuilder, PrimitiveBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ListArray, PrimitiveArray, RecordBatch, StringArray};
use arrow_schema::{Field, Schema};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::collections::HashMap;
use std::sync::Arc;

/// Targets of the complexes of a leaf.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LeafTargets {
    None,
    Classes(Vec<u32>),
    Real(Vec<f64>),
}

/// What a leaf holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Leaf {
    pub measures: Vec<ComplexMeasures>,
    /// Empty where complexes have no names.
    pub ids: Vec<String>,
    pub targets: LeafTargets,
    /// Labels of cells that the encoding does not know.
    pub unknown: usize,
}

const COMPONENTS: [Component; 3] = [Component::Exact, Component::Coexact, Component::Harmonic];

/// Key of the number of unknown labels in the metadata of a file.
const UNKNOWN: &str = "hodgelet.unknown";

/// Columns as they are written.
#[derive(Default)]
pub(super) struct Columns {
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl Columns {
    fn add(&mut self, name: String, array: impl Array + 'static, nullable: bool) {
        self.fields.push(Field::new(name, array.data_type().clone(), nullable));
        self.arrays.push(Arc::new(array));
    }

    pub fn add_numbers<T: ArrowPrimitiveType>(
        &mut self,
        name: String,
        values: impl Iterator<Item = Option<T::Native>>,
    ) {
        self.add(name, values.collect::<PrimitiveArray<T>>(), true);
    }

    pub fn add_lists<'a, T: ArrowPrimitiveType>(
        &mut self,
        name: String,
        lists: impl Iterator<Item = &'a [T::Native]>,
    ) {
        let mut builder = ListBuilder::new(PrimitiveBuilder::<T>::new());
        for list in lists {
            builder.values().append_slice(list);
            builder.append(true);
        }
        self.add(name, builder.finish(), false);
    }

    fn add_measures<'a>(&mut self, prefix: &str, measures: &[Option<&'a EnergyMeasure>]) {
        let part = |m: &Option<&'a EnergyMeasure>| m.map(EnergyMeasure::parts).unwrap_or_default();
        let of = |what: &str| format!("{prefix} {what}");
        self.add_lists::<Float64Type>(of("eigenvalues"), measures.iter().map(|m| part(m).eigenvalues));
        self.add_lists::<UInt32Type>(of("live"), measures.iter().map(|m| part(m).live));
        self.add_lists::<Float64Type>(of("scales"), measures.iter().map(|m| part(m).scales));
        self.add_lists::<Float64Type>(of("energies"), measures.iter().map(|m| part(m).energies));
        self.add_lists::<Float64Type>(of("errors"), measures.iter().map(|m| part(m).errors));
    }
}

/// Name of the columns of a dimension.
fn dim_name(dim: usize) -> String {
    let name = Block { dim, component: Component::Whole }.to_string();
    name.strip_suffix(" whole").unwrap_or(&name).to_owned()
}

impl Leaf {
    /// The file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        let mut columns = Columns::default();
        if !self.ids.is_empty() {
            columns.add("id".to_owned(), StringArray::from_iter_values(&self.ids), false);
        }
        match &self.targets {
            LeafTargets::None => {}
            LeafTargets::Classes(labels) => {
                columns.add_numbers::<UInt32Type>("target".to_owned(), labels.iter().map(|&l| Some(l)));
            }
            LeafTargets::Real(values) => {
                columns.add_numbers::<Float64Type>("target".to_owned(), values.iter().map(|&y| Some(y)));
            }
        }
        let rows = &self.measures;
        let n_dims = |m: &ComplexMeasures| m.by_dim().len();
        columns
            .add_numbers::<UInt64Type>("dimensions".to_owned(), rows.iter().map(|m| Some(n_dims(m) as u64)));
        for dim in 0..rows.iter().map(n_dims).max().unwrap_or(0) {
            let of_dim: Vec<Option<&DimMeasures>> = rows.iter().map(|m| m.of_dim(dim)).collect();
            let name = dim_name(dim);
            let count = |f: fn(&DimMeasures) -> usize| of_dim.iter().map(move |m| m.map(|m| f(m) as u64));
            columns.add_numbers::<UInt64Type>(format!("{name} channels"), count(DimMeasures::n_channels));
            columns.add_numbers::<UInt64Type>(format!("{name} betti"), count(DimMeasures::betti));
            for component in COMPONENTS {
                let prefix = Block { dim, component }.to_string();
                let which = component.components()[0];
                let parts: Vec<_> =
                    rows.iter().map(|row| row.of_dim(dim).map(|m| m.component(which))).collect();
                columns.add_measures(&prefix, &parts);
            }
        }
        if rows.iter().any(|m| m.signed().is_some()) {
            let signed = || rows.iter().map(ComplexMeasures::signed);
            let count = |f: fn(&SignedMeasure) -> usize| {
                signed().map(move |m| m.map(|m| f(m) as u64)).collect::<Vec<_>>()
            };
            columns.add_numbers::<UInt64Type>(
                "signed dimension".to_owned(),
                count(SignedMeasure::dim).into_iter(),
            );
            columns.add_numbers::<UInt64Type>(
                "signed channels".to_owned(),
                count(SignedMeasure::n_channels).into_iter(),
            );
            let atoms: Vec<_> = signed().map(|m| m.map(SignedMeasure::atoms)).collect();
            columns.add_measures("signed", &atoms);
        }
        others::add(&mut columns, rows);
        write(columns, self.unknown)
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, String> {
        // The checksum finds what was damaged; the reader may panic at what was made up.
        let read = contained(|| read(bytes));
        let (batch, unknown) = read.ok_or("not a Parquet file that can be read")??;
        let table = Table(batch);
        let ids = match table.0.column_by_name("id") {
            Some(column) => {
                let column = column.as_string_opt::<i32>().ok_or("column id does not hold text")?;
                column.iter().map(|id| id.unwrap_or_default().to_owned()).collect()
            }
            None => Vec::new(),
        };
        let targets = match table.0.column_by_name("target") {
            None => LeafTargets::None,
            Some(column) if column.as_primitive_opt::<UInt32Type>().is_some() => {
                LeafTargets::Classes(required(table.numbers::<UInt32Type>("target")?, "target")?)
            }
            Some(_) => LeafTargets::Real(required(table.numbers::<Float64Type>("target")?, "target")?),
        };
        let n_dims = required(table.numbers::<UInt64Type>("dimensions")?, "dimensions")?;
        let mut by_dim: Vec<Vec<Option<DimMeasures>>> = vec![Vec::new(); n_dims.len()];
        for dim in 0..n_dims.iter().copied().max().unwrap_or(0) as usize {
            let of_dim = table.dim(dim)?;
            for ((row, &n), found) in by_dim.iter_mut().zip(&n_dims).zip(of_dim) {
                if (dim as u64) < n {
                    row.push(found);
                }
            }
        }
        let signed = table.signed()?;
        let measures =
            by_dim.into_iter().zip(signed).map(|(dims, signed)| ComplexMeasures::from_dims(dims, signed));
        let measures = others::with_others(&table, measures.collect())?;
        Ok(Self { measures, ids, targets, unknown })
    }
}

fn write(columns: Columns, unknown: usize) -> Result<Vec<u8>, String> {
    let Columns { fields, arrays } = columns;
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(|e| e.to_string())?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::LZ4_RAW)
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::PLAIN)
        .set_statistics_enabled(parquet::file::properties::EnabledStatistics::None)
        .set_created_by("hodgelet".to_owned())
        .set_key_value_metadata(Some(vec![KeyValue::new(UNKNOWN.to_owned(), unknown.to_string())]))
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties)).map_err(|e| e.to_string())?;
    writer.write(&batch).map_err(|e| e.to_string())?;
    writer.into_inner().map_err(|e| e.to_string())
}

fn read(bytes: Vec<u8>) -> Result<(RecordBatch, usize), String> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).map_err(|e| e.to_string())?;
    let metadata = builder.metadata().file_metadata();
    let rows = usize::try_from(metadata.num_rows()).map_err(|e| e.to_string())?;
    let entry = metadata.key_value_metadata().into_iter().flatten().find(|entry| entry.key == UNKNOWN);
    let unknown = entry.and_then(|entry| entry.value.as_ref()?.parse().ok());
    let unknown = unknown.ok_or("the number of unknown labels is missing")?;
    let mut reader = builder.with_batch_size(rows.max(1)).build().map_err(|e| e.to_string())?;
    let batch = reader.next().ok_or("no row")?.map_err(|e| e.to_string())?;
    match batch.num_rows() == rows {
        true => Ok((batch, unknown)),
        false => Err(format!("{} of {rows} rows in the first batch", batch.num_rows())),
    }
}

/// Values none of which is missing.
fn required<T: Copy>(values: Vec<Option<T>>, name: &str) -> Result<Vec<T>, String> {
    values.into_iter().collect::<Option<Vec<T>>>().ok_or_else(|| format!("column {name} has empty cells"))
}

/// Columns as they are read.
pub(super) struct Table(RecordBatch);

/// The lists of one column.
pub(super) struct Lists<T: ArrowPrimitiveType>(ListArray, PrimitiveArray<T>);

impl<T: ArrowPrimitiveType> Lists<T> {
    pub fn row(&self, i: usize) -> &[T::Native] {
        let offsets = self.0.value_offsets();
        &self.1.values()[offsets[i] as usize..offsets[i + 1] as usize]
    }
}

/// The five lists of a measure.
struct MeasureLists {
    numbers: HashMap<&'static str, Lists<Float64Type>>,
    live: Lists<UInt32Type>,
}

impl Table {
    pub fn has(&self, name: &str) -> bool {
        self.0.column_by_name(name).is_some()
    }

    fn column(&self, name: &str) -> Result<&ArrayRef, String> {
        self.0.column_by_name(name).ok_or_else(|| format!("column {name} is missing"))
    }

    pub fn numbers<T: ArrowPrimitiveType>(&self, name: &str) -> Result<Vec<Option<T::Native>>, String> {
        let column = self.column(name)?.as_primitive_opt::<T>();
        Ok(column.ok_or_else(|| format!("column {name} does not hold such numbers"))?.iter().collect())
    }

    pub fn lists<T: ArrowPrimitiveType>(&self, name: &str) -> Result<Lists<T>, String> {
        let column = self.column(name)?.as_list_opt::<i32>();
        let column = column.ok_or_else(|| format!("column {name} does not hold lists"))?;
        let values = column.values().as_primitive_opt::<T>();
        let values = values.ok_or_else(|| format!("column {name} does not hold lists of such numbers"))?;
        Ok(Lists(column.clone(), values.clone()))
    }

    fn measures(&self, prefix: &str) -> Result<MeasureLists, String> {
        let mut numbers = HashMap::new();
        for what in ["eigenvalues", "scales", "energies", "errors"] {
            numbers.insert(what, self.lists::<Float64Type>(&format!("{prefix} {what}"))?);
        }
        Ok(MeasureLists { numbers, live: self.lists::<UInt32Type>(&format!("{prefix} live"))? })
    }

    fn dim(&self, dim: usize) -> Result<Vec<Option<DimMeasures>>, String> {
        let name = dim_name(dim);
        let channels = self.numbers::<UInt64Type>(&format!("{name} channels"))?;
        let betti = self.numbers::<UInt64Type>(&format!("{name} betti"))?;
        let prefixes = COMPONENTS.map(|component| Block { dim, component }.to_string());
        let lists = prefixes.iter().map(|prefix| self.measures(prefix)).collect::<Result<Vec<_>, _>>()?;
        let mut found = Vec::with_capacity(channels.len());
        for (i, pair) in channels.iter().zip(&betti).enumerate() {
            let (Some(channels), Some(betti)) = pair else {
                found.push(None);
                continue;
            };
            let (n_channels, betti) = (*channels as usize, *betti as usize);
            let part = |c: usize| lists[c].row(i, n_channels, &prefixes[c]);
            if !lists.iter().all(|lists| lists.numbers["eigenvalues"].row(i).is_sorted()) {
                return Err(format!("row {i}: eigenvalues of {name} cells do not ascend"));
            }
            found.push(Some(DimMeasures::from_components([part(0)?, part(1)?, part(2)?], n_channels, betti)));
        }
        Ok(found)
    }

    fn signed(&self) -> Result<Vec<Option<SignedMeasure>>, String> {
        if self.0.column_by_name("signed dimension").is_none() {
            return Ok(vec![None; self.0.num_rows()]);
        }
        let dims = self.numbers::<UInt64Type>("signed dimension")?;
        let channels = self.numbers::<UInt64Type>("signed channels")?;
        let lists = self.measures("signed")?;
        let one = |(i, pair): (usize, (&Option<u64>, &Option<u64>))| match pair {
            (Some(dim), Some(channels)) => {
                let n_channels = *channels as usize;
                let atoms = lists.row(i, n_channels, "signed")?;
                Ok(Some(SignedMeasure::from_atoms(*dim as usize, n_channels, atoms)))
            }
            _ => Ok(None),
        };
        dims.iter().zip(&channels).enumerate().map(one).collect()
    }
}

impl MeasureLists {
    fn row(&self, i: usize, n_channels: usize, prefix: &str) -> Result<EnergyMeasure, String> {
        let of = |what: &str| self.numbers[what].row(i);
        let parts = EnergyParts {
            eigenvalues: of("eigenvalues"),
            live: self.live.row(i),
            scales: of("scales"),
            energies: of("energies"),
            errors: of("errors"),
        };
        EnergyMeasure::from_parts(parts, n_channels)
            .ok_or_else(|| format!("row {i}: the lists of {prefix} are not those of a measure"))
    }
}
