use super::*;

const OFF: &str = "OFF # a tetrahedron\n4 4 6\n0 0 0\n1 0 0 255 0 0\n0 1 0\n\n0 0 1\n3 0 2 1\n3 0 1 3 0.5 0.5 0.5\n3 1 2 3\n3 2 0 3\n";
const OBJ: &str = "# a tetrahedron\nmtllib x.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1 1.0\nvn 0 0 1\n\
                   f 1/1/1 3//1 2\nf 1 2 4\nf -3 -2 -1\nf 3 1 4\n";
const PLY: &str = "ply\nformat ascii 1.0\ncomment a tetrahedron\nelement vertex 4\nproperty float x\nproperty float y\n\
                   property double z\nproperty uchar red\nelement face 4\nproperty list uchar int vertex_indices\n\
                   end_header\n0 0 0 9\n1 0 0 9\n0 1 0 9\n0 0 1 9\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";

fn tetrahedron() -> Mesh {
    Mesh {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        faces: vec![vec![0, 2, 1], vec![0, 1, 3], vec![1, 2, 3], vec![2, 0, 3]],
    }
}

/// The tetrahedron in binary PLY, with an element that is skipped between vertices and faces.
pub fn binary_ply(big: bool) -> Vec<u8> {
    let name = if big { "binary_big_endian" } else { "binary_little_endian" };
    let mut out = format!(
        "ply\nformat {name} 1.0\nelement vertex 4\nproperty float x\nproperty double y\nproperty int16 z\n\
         element other 2\nproperty list uint8 float bits\nelement face 4\n\
         property list ushort uint vertex_index\nproperty uchar flag\nend_header\n"
    )
    .into_bytes();
    let mut put = |mut bytes: Vec<u8>| {
        if big {
            bytes.reverse();
        }
        out.extend(bytes);
    };
    let mesh = tetrahedron();
    for [x, y, z] in &mesh.positions {
        put((*x as f32).to_le_bytes().to_vec());
        put(y.to_le_bytes().to_vec());
        put((*z as i16).to_le_bytes().to_vec());
    }
    put(vec![0]);
    put(vec![1]);
    put(1.5f32.to_le_bytes().to_vec());
    for face in &mesh.faces {
        put(3u16.to_le_bytes().to_vec());
        face.iter().for_each(|v| put(v.to_le_bytes().to_vec()));
        put(vec![7]);
    }
    out
}

#[test]
fn every_format_gives_the_same_tetrahedron() {
    let read = |format, bytes: &[u8]| parse_mesh(format, "m", bytes).unwrap();
    assert_eq!(read(MeshFormat::Off, OFF.as_bytes()), tetrahedron());
    assert_eq!(read(MeshFormat::Off, OFF.replace("OFF # a tetrahedron\n", "OFF").as_bytes()), tetrahedron());
    assert_eq!(read(MeshFormat::Obj, OBJ.as_bytes()), tetrahedron());
    assert_eq!(read(MeshFormat::Ply, PLY.as_bytes()), tetrahedron());
    assert_eq!(read(MeshFormat::Ply, PLY.replace('\n', "\r\n").as_bytes()), tetrahedron());
    assert_eq!(read(MeshFormat::Ply, &binary_ply(false)), tetrahedron());
    assert_eq!(read(MeshFormat::Ply, &binary_ply(true)), tetrahedron());
    let sphere = tetrahedron().complex().unwrap();
    assert_eq!((sphere.n_cells(1), sphere.euler_characteristic()), (6, 2));
}

#[test]
fn faces_may_have_more_than_three_vertices() {
    let text = "OFF\n5 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n.5 2 0\n4 0 1 2 3\n3 3 2 4\n";
    let house = parse_mesh(MeshFormat::Off, "house.off", text.as_bytes()).unwrap();
    let complex = house.complex().unwrap();
    assert_eq!([0, 1, 2].map(|k| complex.n_cells(k)), [5, 6, 2]);
    assert_eq!(complex.polygon(0), Some(vec![0, 1, 2, 3]));
    assert_eq!(
        (house.triangles(), house.triangulated().triangles),
        (None, vec![[0, 1, 2], [0, 2, 3], [3, 2, 4]])
    );
}

#[test]
fn faults_name_file_and_line_or_byte() {
    let message = |format, bytes: &[u8]| parse(format, "m.x", bytes).unwrap_err().to_string();
    let off = |from: &str, to: &str| message(MeshFormat::Off, OFF.replace(from, to).as_bytes());
    assert_eq!(
        off("3 1 2 3\n", "3 1 2 4\n"),
        "m.x, line 10: a face names vertex 4, but there are 4 vertices, from 0"
    );
    assert_eq!(off("3 1 2 3\n", "3 1 2 1\n"), "m.x, line 10: a face names vertex 1 twice, counted from 0");
    assert_eq!(off("3 1 2 3\n", "2 1 2\n"), "m.x, line 10: a face of 2 vertices, expected at least 3");
    assert_eq!(
        off("3 1 2 3\n", "3 1 2\n"),
        "m.x, line 10: found `3 1 2`, expected a number of vertices, and as many vertices"
    );
    assert_eq!(
        off("0 1 0\n", "0 nan 0\n"),
        "m.x, line 5: found `0 nan 0`, expected three finite coordinates"
    );
    assert_eq!(off("4 4 6", "4 5 6"), "m.x, line 12: the file ends, expected face 4 of 5");
    assert_eq!(off("4 4 6", "4 3 6"), "m.x, line 11: found `3 2 0 3`, expected the end of the file");
    assert_eq!(off("OFF #", "COW #"), "m.x, line 1: found `COW`, expected `OFF`");
    assert_eq!(off("OFF #", "4OFF #"), "m.x, line 1: vertices of other than three coordinates are not read");
    assert_eq!(off("3 1 2 3\n", "3 1 2 0\n"), "m.x: triangle 2 has the vertices of triangle 0");
    let obj = |from: &str, to: &str| message(MeshFormat::Obj, OBJ.replace(from, to).as_bytes());
    assert_eq!(obj("f 1 2 4", "f 1 0 4"), "m.x, line 9: found `0`, expected a vertex, from 1");
    assert_eq!(obj("f -3", "f -5"), "m.x, line 10: a face names vertex -1, but there are 4 vertices, from 0");
    let ply = |from: &str, to: &str| message(MeshFormat::Ply, PLY.replace(from, to).as_bytes());
    assert_eq!(ply("3 1 2 3\n", "3 1 2 x\n"), "m.x, line 18: found `x`, expected a number");
    assert_eq!(ply("3 1 2 3\n", "3 1 2 3 3\n"), "m.x, line 18: found `3`, expected the end of a face");
    // Vertices are not cut to integers, whatever type the header gives them.
    for (found, list) in [("0.5", "int"), ("1.9", "uchar"), ("1.9", "float")] {
        let text = PLY.replace("3 1 2 3\n", &format!("3 1 2 {found}\n"));
        let text = text.replace("list uchar int", &format!("list uchar {list}"));
        let error = message(MeshFormat::Ply, text.as_bytes());
        let is_named = error.starts_with("m.x, line 18: found ") && error.contains(found);
        assert!(is_named && error.contains("expected"), "{list}: {error}");
    }
    assert_eq!(ply("face 4", "face 5"), "m.x, line 20: the file ends, expected face 4 of 5");
    assert_eq!(
        ply("double z", "double w"),
        "m.x, line 11: found vertices without x, y and z, expected these properties once each"
    );
    assert_eq!(
        ply("ascii", "utf8"),
        "m.x, line 2: found `format utf8 1.0`, expected ascii, binary_little_endian or binary_big_endian"
    );
    let mut bytes = binary_ply(false);
    bytes.pop();
    let end = bytes.len();
    assert_eq!(message(MeshFormat::Ply, &bytes), format!("m.x, byte {end}: the file ends, expected 1 bytes"));
    let at = end - 4;
    bytes[at] = 9;
    bytes.push(7);
    let face = end - 14;
    assert_eq!(
        message(MeshFormat::Ply, &bytes),
        format!("m.x, byte {face}: a face names vertex 9, but there are 4 vertices, from 0")
    );
}

#[test]
fn a_folder_is_a_dataset_with_listed_targets() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("b.OFF", OFF);
    write("a.obj", OBJ);
    write("c.ply", PLY);
    write("targets.csv", "file,target\na,sphere\nb.OFF,sphere\nc,other\n");
    let read = read_dir(folder.path()).unwrap();
    assert_eq!(read.ids, ["a", "b", "c"]);
    let names = vec!["other".to_owned(), "sphere".to_owned()];
    assert_eq!(read.dataset.targets(), &Targets::Classes { names, labels: vec![1, 1, 0] });
    assert_eq!(read.dataset.columns()[0].name, "position");
    write("d.off", OFF);
    assert_eq!(read_dir(folder.path()).unwrap_err().to_string(), "d.off has no target in targets.csv");
}
