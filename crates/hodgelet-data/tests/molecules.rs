//! SMILES strings and tables of them. How often RDKit sees something else is counted by `bench/smiles.py`.

use hodgelet::dataset::{ColumnValues, Targets};
use hodgelet_data::smiles::{Attributes, BondStereo, Chirality, Molecule, SmilesFault, scaffold};
use hodgelet_data::table::{
    self, OnError, RowFault, TableError, TableOptions, TableParts, TableRead, TargetKind,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn molecule(smiles: &str) -> Molecule {
    Molecule::parse(smiles).unwrap_or_else(|fault| panic!("{smiles}: {fault}"))
}

/// Molecules with stereocenters, pseudoasymmetric ones and in rings too, and with labelled double bonds.
const STEREO: [&str; 8] = [
    "C[C@H](N)C(=O)O",
    "C[C@H]1CC[C@@H](C)CC1",
    "OC[C@H]1O[C@@H](O)[C@H](O)[C@@H](O)[C@@H]1O",
    "C/C=C/C=C\\C",
    "C[C@H](O)[C@H](Cl)[C@@H](O)C",
    "F/C(Cl)=C(\\Br)[C@H](F)Cl",
    "C[C@]12CC[C@H]3[C@@H](CC[C@@H]4CC(=O)CC[C@]34C)[C@@H]1CC[C@@H]2O",
    "CC\\1=C(c2cc(ccc2/C1=C\\c3ccc(cc3)S(=O)C)F)CC(=O)O",
];

#[test]
fn atoms_and_bonds_of_nitrobenzene() {
    let found = molecule("c1ccccc1[N+](=O)[O-]");
    let elements: String = found.atoms.iter().map(|atom| atom.element).collect();
    assert_eq!(elements, "CCCCCCNOO");
    let charges: Vec<i32> = found.atoms.iter().map(|atom| atom.charge).collect();
    assert_eq!(charges, [0, 0, 0, 0, 0, 0, 1, 0, -1]);
    let hydrogens: Vec<u32> = found.atoms.iter().map(|atom| atom.hydrogens).collect();
    assert_eq!(hydrogens, [1, 1, 1, 1, 1, 0, 0, 0, 0]);
    assert!(found.atoms.iter().enumerate().all(|(i, a)| (a.aromatic, a.ring) == (i < 6, i < 6)));
    let kinds: Vec<&str> = found.bonds.iter().map(|bond| bond.kind.name()).collect();
    let aromatic = ["AROMATIC"; 5];
    assert_eq!(kinds, [&aromatic[..], &["SINGLE", "DOUBLE", "SINGLE", "AROMATIC"]].concat());
    assert!(found.bonds.iter().all(|bond| bond.conjugated));
    assert_eq!(found.bonds.iter().filter(|bond| bond.ring).count(), 6);
}

#[test]
fn labels_of_known_molecules() {
    let label = |smiles: &str, atom: usize| molecule(smiles).atoms[atom].chirality;
    assert_eq!(label("C[C@H](N)C(=O)O", 1), Some(Chirality::S)); // L-alanine
    assert_eq!(label("C[C@@H](N)C(=O)O", 1), Some(Chirality::R));
    assert_eq!(label("N[C@@H](CS)C(=O)O", 1), Some(Chirality::R)); // L-cysteine
    assert_eq!(label("CC[C@H](C)C", 2), None); // two equal neighbours
    let stereo = |smiles: &str| molecule(smiles).bonds.iter().find_map(|bond| bond.stereo);
    assert_eq!(stereo("F/C=C/F"), Some(BondStereo::E));
    assert_eq!(stereo("F/C=C\\F"), Some(BondStereo::Z));
    assert_eq!(stereo("CC=CC"), None);
    assert_eq!(stereo("C/C=C(/C)C"), None);
    // Sulindac, whose indene and ring the older rules of RDKit rank the other way round.
    assert_eq!(stereo(STEREO[7]), Some(BondStereo::Z));
}

/// What is known of each atom, refined thrice by what is known of its bonds and neighbours, sorted.
fn invariant(molecule: &Molecule) -> Vec<String> {
    let mut colors: Vec<String> = molecule.atoms.iter().map(|atom| format!("{atom:?}")).collect();
    for _ in 0..3 {
        let refined = (0..colors.len()).map(|i| {
            let mut around: Vec<String> = molecule
                .bonds
                .iter()
                .filter_map(|bond| {
                    let other =
                        bond.ends.iter().position(|&end| end as usize == i).map(|at| bond.ends[1 - at])?;
                    let (kind, stereo) = (bond.kind, bond.stereo);
                    let known = (kind, bond.conjugated, bond.ring, stereo);
                    Some(format!("{known:?} {}", colors[other as usize]))
                })
                .collect();
            around.sort_unstable();
            use std::hash::{DefaultHasher, Hash, Hasher};
            let mut hash = DefaultHasher::new();
            (&colors[i], around).hash(&mut hash);
            format!("{:x}", hash.finish())
        });
        colors = refined.collect();
    }
    colors.sort_unstable();
    colors
}

#[test]
fn the_order_of_atoms_changes_nothing() {
    for smiles in STEREO {
        let expected = invariant(&molecule(smiles));
        let written = chematic_smiles::parse(smiles).unwrap();
        let others = chematic_smiles::rdkit_random_smiles(&written, 25, 1, &Default::default()).unwrap();
        assert!(others.iter().any(|other| other != &others[0]));
        for other in others {
            assert_eq!(invariant(&molecule(&other)), expected, "{smiles} written as {other}");
        }
    }
    // The law would hold of no labels, too.
    assert_ne!(invariant(&molecule("C[C@H](N)C(=O)O")), invariant(&molecule("C[C@@H](N)C(=O)O")));
    assert_ne!(invariant(&molecule("C[C@H]1CC[C@@H](C)CC1")), invariant(&molecule("C[C@H]1CC[C@H](C)CC1")));
}

#[test]
fn what_is_not_a_molecule_is_refused_with_a_reason() {
    let fault = |smiles: &str| Molecule::parse(smiles).unwrap_err();
    assert_eq!(fault(" "), SmilesFault::Empty);
    assert!(matches!(fault("C1CC"), SmilesFault::Syntax(_)), "{}", fault("C1CC"));
    assert!(matches!(fault("C(C"), SmilesFault::Syntax(_)));
    assert!(matches!(fault("Cé"), SmilesFault::Syntax(_)));
    assert!(matches!(fault("C(C)(C)(C)(C)C"), SmilesFault::Chemistry(what) if what.contains("valence")));
    assert!(matches!(fault("c1cccc1"), SmilesFault::Chemistry(_)), "{}", fault("c1cccc1"));
    // A furan that a chain bridges: RDKit keeps it aromatic, the perception here does not.
    assert!(
        matches!(fault("COCOC1C=CCCCCc2oc(cc2C)C1"), SmilesFault::Perception(what) if what.contains("aromatic"))
    );
    for long in
        ["C".repeat(30_000), "(".repeat(10_000), format!("C{}", "(C".repeat(9_000)), "C1".repeat(5_000)]
    {
        assert!(Molecule::parse(&long).is_err());
    }
}

#[test]
fn scaffolds_are_rings_and_what_joins_them() {
    let of = |smiles: &str| scaffold(smiles).unwrap();
    assert_eq!(of("CC(=O)Oc1ccccc1C(=O)O"), "c1ccccc1");
    assert_eq!(of("Cc1ccccc1"), of("Clc1ccc(N)cc1"));
    assert_eq!(of("CCCC"), "");
    assert_eq!(of("c1ccccc1CCC1CCNCC1C"), of("FC1NCCC(C1)CCc1cccc(Br)c1"));
    assert_eq!(of("C[C@H]1CCCC[C@@H]1O"), of("C1CCCCC1"));
    assert!(scaffold("C1CC").is_err());
}

#[test]
fn a_backslash_that_was_escaped_is_one() {
    assert_eq!(molecule("F/C=C\\\\F"), molecule("F/C=C\\F"));
}

/// Changes of valid strings are read or refused, and never end the program.
#[test]
fn mutations_do_not_panic() {
    const PIECES: [&str; 22] = [
        "[", "]", "(", ")", "=", "#", "$", ":", "/", "\\", "@", "@@", "1", "%99", "[nH]", "c", "[O-]", ".",
        "*", "[2H]", "+", "[C@SP1]",
    ];
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let (mut read, mut refused) = (0, 0);
    for i in 0..40_000 {
        let mut text: Vec<u8> = STEREO[i % STEREO.len()].into();
        for _ in 0..rng.random_range(1..=3) {
            let at = rng.random_range(0..=text.len());
            let end = (at + rng.random_range(0..4)).min(text.len());
            let piece = PIECES[rng.random_range(0..PIECES.len())].bytes();
            drop(text.splice(at..end, piece));
        }
        match Molecule::parse(&String::from_utf8(text).unwrap()) {
            Ok(_) => read += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(read > 1_000 && refused > 1_000, "{read} read, {refused} refused");
}

const TABLE: &str =
    "id,SMILES,Class,value\na,CCO,1,0.5\nb,not smiles,0,0.25\nc,c1ccccc1,,1\nd,\"C[C@H](N)C(=O)O\",0.0,2\n";

fn read(text: &str, options: &TableOptions) -> Result<TableRead, TableError> {
    table::parse("t.csv", text.as_bytes(), options)
}

fn guessing() -> TableOptions {
    TableOptions { guess_target: true, ..TableOptions::default() }
}

#[test]
fn columns_are_guessed_and_rows_left_out_with_a_reason() {
    let found = read(TABLE, &guessing()).unwrap();
    assert_eq!(found.notes, ["column `SMILES` is read as SMILES", "column `Class` is read as target"]);
    assert_eq!((&found.kept[..], found.untargeted, found.faults.len()), (&[0, 3][..], 1, 1));
    let fault = found.faults[0].to_string();
    assert!(fault.starts_with("row 2 (line 3), `not smiles`: not SMILES: "), "{fault}");
    let classes = Targets::Classes { names: vec!["0".into(), "1".into()], labels: vec![1, 0] };
    assert_eq!(found.read.dataset.targets(), &classes);
    assert_eq!(found.read.ids, ["1", "4"]);
    assert_eq!(found.read.dataset.name(), "t");
    assert_eq!(found.table.cell(3, 1), "C[C@H](N)C(=O)O");
    let column = found.read.dataset.column(0, "chirality").unwrap();
    let ColumnValues::Real { channels, values } = &column.values else { panic!("labels") };
    assert_eq!((&channels[..], values.iter().sum::<f64>()), (&["R".to_owned(), "S".to_owned()][..], 1.0));
}

#[test]
fn columns_can_be_named_and_targets_typed() {
    let named = TableOptions {
        smiles: Some("smiles".into()),
        targets: vec!["value".into()],
        ..TableOptions::default()
    };
    let found = read(TABLE, &named).unwrap();
    assert!(found.notes.is_empty());
    assert_eq!(found.read.dataset.targets(), &Targets::Real(vec![0.5, 1.0, 2.0]));
    let numbers = TableOptions { targets: vec!["id".into()], kind: TargetKind::Numbers, ..named.clone() };
    assert!(matches!(read(TABLE, &numbers), Err(TableError::NothingLeft { .. })));
    let whole = "smiles,n\nC,1\nCC,2\nCCC,2\n";
    let numbers = TableOptions { kind: TargetKind::Numbers, ..guessing() };
    assert_eq!(read(whole, &numbers).unwrap().read.dataset.targets(), &Targets::Real(vec![1.0, 2.0, 2.0]));
    let semicolons = "smiles;n\nC;1,5\nCC;2\n";
    assert_eq!(read(semicolons, &guessing()).unwrap().table.cell(0, 1), "1,5");
    // A column that is called something else, and no target among several.
    let other = "compound,a,b\nCCO,1,2\nCCN,3,4\n";
    let found = read(other, &guessing()).unwrap();
    assert_eq!(
        found.notes,
        ["column `compound` is read as SMILES", "no target: --target names one of `a`, `b`"]
    );
    assert_eq!(found.read.dataset.targets(), &Targets::None);
}

#[test]
fn several_targets_are_known_where_they_are_known() {
    let text = "smiles,a,b,id\nC,1,0.5,x\nCC,,1.5,y\nCCC,0,,z\nCCCC,,,w\n";
    for targets in [vec!["a,b".to_owned()], vec!["a".to_owned(), "b".to_owned()]] {
        let found = read(text, &TableOptions { targets, ..TableOptions::default() }).unwrap();
        assert_eq!((&found.kept[..], found.untargeted), (&[0, 1, 2][..], 1));
        assert_eq!(found.read.dataset.targets(), &Targets::None);
        let names = vec!["0".to_owned(), "1".to_owned()];
        assert_eq!(found.read.goals[0].targets, Targets::Classes { names, labels: vec![1, 0] });
        assert_eq!(
            (&found.read.goals[0].complexes[..], &found.read.goals[1].complexes[..]),
            (&[0, 2][..], &[0, 1][..])
        );
        assert_eq!(
            (&found.read.goals[1].name[..], &found.read.goals[1].targets),
            ("b", &Targets::Real(vec![0.5, 1.5]))
        );
    }
    let twice = read(text, &TableOptions { targets: vec!["a,b,a".into()], ..TableOptions::default() });
    assert_eq!(twice.unwrap_err().to_string(), "t.csv: --target names the column `a` twice");
}

#[test]
fn lists_of_targets_have_masks_and_bad_ones_are_faults_of_their_rows() {
    let text = "smiles,labels,masks\nC,\"[0, 1]\",\"[1, 1]\"\nCC,\"[1, -1]\",\"[1, 0]\"\nCCC,\"[1]\",\"[1, 1]\"\n\
                CCCC,oops,\"[1, 1]\"\nCCO,\"[null, 0]\",\"[1, 1]\"\n";
    let options = TableOptions { targets: vec!["labels".into()], ..TableOptions::default() };
    let found = read(text, &options).unwrap();
    assert_eq!(
        found.notes.last().unwrap(),
        "column `labels` has lists of 2 targets, known where `masks` is not 0"
    );
    let known: Vec<&[usize]> = found.read.goals.iter().map(|goal| &goal.complexes[..]).collect();
    assert_eq!(known, [&[0, 1][..], &[0, 2][..]]);
    assert_eq!(found.read.goals[1].name, "labels 2");
    let faults: Vec<&str> = found.faults.iter().map(|fault| &fault.what[..]).collect();
    assert_eq!(
        faults,
        [
            "column `labels` has 1 entries, expected 2",
            "column `labels` has `oops`, expected a list of numbers such as [0, 1]"
        ]
    );
    // Lists of one are one target.
    let one = read("smiles,y\nC,[0]\nCC,[1]\n", &guessing()).unwrap();
    assert!(one.read.goals.is_empty() && matches!(one.read.dataset.targets(), Targets::Classes { .. }));
}

#[test]
fn for_prediction_rows_without_a_target_stay() {
    let options = TableOptions { targets: vec!["Class".into()], to_predict: true, ..TableOptions::default() };
    let found = read(TABLE, &options).unwrap();
    assert_eq!((&found.kept[..], found.untargeted), (&[0, 2, 3][..], 0));
    assert_eq!(found.read.dataset.targets(), &Targets::None);
    let [known] = &found.read.goals[..] else { panic!("{:?}", found.read.goals) };
    assert_eq!((known.name.as_str(), known.complexes.len()), ("Class", 2));
}

#[test]
fn a_molecule_in_place_of_the_name_of_its_column_is_an_error() {
    let error = read("CC(=O)Oc1ccccc1,1\nCCO,0\nCCN,1\nCCC,1\n", &guessing()).unwrap_err();
    let expected =
        "t.csv: found the molecule `CC(=O)Oc1ccccc1` in the first line, expected the names of columns there";
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.hint(), Some("add a first line with names, such as smiles,target"));
    // Short names such as `CN` are names.
    assert!(read("CN,y\nCCO,0\nCCN,1\nCCC,1\n", &guessing()).is_ok());
}

#[test]
fn stereo_that_no_molecule_has_is_not_learned_from() {
    let names = |text: &str, options: &TableOptions| -> Vec<String> {
        let read = read(text, options).unwrap().read;
        read.dataset.columns().iter().map(|column| column.name.clone()).collect()
    };
    let plain = "smiles,y\nCCO,1\nCC=CC,0\n";
    let expected = ["element", "charge", "hydrogens", "aromatic", "ring", "bond", "conjugated", "ring"];
    assert_eq!(names(plain, &guessing()), expected);
    assert!(names("smiles,y\nCCO,1\nC/C=C/C,0\n", &guessing()).contains(&"stereo".to_owned()));
    let to_predict = TableOptions { to_predict: true, ..guessing() };
    assert!(names(plain, &to_predict).contains(&"chirality".to_owned()));
    let named = Attributes::default().with_atoms(&["chirality".into()]).unwrap();
    assert_eq!(names(plain, &TableOptions { attributes: named, ..guessing() })[0], "chirality");
}

#[test]
fn errors_say_what_was_found_and_what_to_do() {
    let message = |text: &str, options: &TableOptions| read(text, options).unwrap_err().to_string();
    let stop = TableOptions { on_error: OnError::Stop, ..guessing() };
    assert!(message(TABLE, &stop).starts_with("t.csv, row 2 (line 3), `not smiles`: not SMILES"));
    assert_eq!(
        read(TABLE, &stop).unwrap_err().hint(),
        Some("--on-error skip leaves such rows out and lists them")
    );
    let named = TableOptions { smiles: Some("smile".into()), ..guessing() };
    assert_eq!(
        message(TABLE, &named),
        "t.csv: found no column `smile` (--smiles); there are `id`, `SMILES`, `Class`, `value`; did you mean `SMILES`?"
    );
    assert_eq!(
        message("", &guessing()),
        "t.csv: found no header, expected a first line with the names of columns"
    );
    assert_eq!(message("smiles\n", &guessing()), "t.csv: found a header and no rows");
    assert_eq!(
        message("a,b\n1,2\n", &guessing()),
        "t.csv: found no column of SMILES strings among `a`, `b`; --smiles names it"
    );
    let short = read("smiles,y\nC,1\nCC\nCCC,2\n", &guessing()).unwrap();
    assert_eq!(short.faults[0].to_string(), "row 2 (line 3), `CC`: 1 cells, expected 2 as in the header");
    assert_eq!(
        message("smiles,smiles\nC,1\n", &TableOptions { smiles: Some("smiles".into()), ..guessing() }),
        "t.csv: several columns are called `smiles` (--smiles)"
    );
}

#[test]
fn the_mass_of_an_isotope_is_not_guessed() {
    let mass = Attributes::default().with_atoms(&["mass".into(), "hybridization".into()]).unwrap();
    let options = TableOptions { attributes: mass, ..guessing() };
    let found = read("smiles,y\nCO,1\n[2H]C,0\n", &options).unwrap();
    assert!(found.faults[0].what.contains("the mass of atom 0"), "{}", found.faults[0]);
    let column = found.read.dataset.column(0, "mass").unwrap();
    assert!(matches!(&column.values, ColumnValues::Real { values, .. } if values[..] == [12.011, 15.999]));
    let unknown = Attributes::default().with_atoms(&["spin".into()]).unwrap_err();
    assert!(
        unknown.starts_with("`spin` is not an attribute of atoms; these are: element, charge"),
        "{unknown}"
    );
}

/// Some rows at a time, with the rows and reasons that the whole table has.
#[test]
fn parts_of_a_table_are_the_table() {
    let smiles = |i: usize| if i % 1000 == 7 { "C1CC" } else { ["C", "CCO", "N#C"][i % 3] };
    let rows: String = (0..9000).map(|i| format!("{i}\t{}\t\n", smiles(i))).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.tsv");
    std::fs::write(&path, format!("\u{feff}id\tsmiles\tnote\n{rows}\n  \n")).unwrap();
    let options = TableOptions { to_predict: true, ..TableOptions::default() };
    let whole = table::read_file(&path, &options).unwrap();
    let mut parts = TableParts::open(&path, &options).unwrap();
    let (mut kept, mut faults, mut graphs, mut notes) = (Vec::new(), Vec::new(), 0, Vec::new());
    loop {
        let begin = parts.n_read();
        let Some(part) = parts.next_rows().unwrap() else { break };
        kept.extend(part.kept.iter().map(|row| begin + row));
        faults.extend(part.faults.iter().map(|fault| (begin + fault.row, fault.line, fault.what.clone())));
        graphs += part.read.dataset.len();
        notes.extend(part.notes);
        assert!(part.table.len() <= 4096 && part.smiles == 1);
    }
    assert!(!parts.has_more() && parts.n_read() == 9000);
    assert_eq!((&kept, graphs, &notes), (&whole.kept, 8991, &whole.notes));
    let of = |fault: &RowFault| (fault.row, fault.line, fault.what.clone());
    assert_eq!(faults, whole.faults.iter().map(of).collect::<Vec<_>>());
    assert_eq!(faults[8].1, Some(8009));

    std::fs::write(&path, "id\tsmiles\n").unwrap();
    let error = TableParts::open(&path, &options).err().unwrap().to_string();
    assert_eq!(error, TableError::NoRows { file: "t.tsv".to_owned() }.to_string());
    let stop = TableOptions { on_error: OnError::Stop, ..options };
    std::fs::write(&path, format!("id\tsmiles\tnote\n{}", rows.replace("C1CC", "C"))).unwrap();
    let mut parts = TableParts::open(&path, &stop).unwrap();
    assert!(std::iter::from_fn(|| parts.next_rows().unwrap()).count() == 3);
}
