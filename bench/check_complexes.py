"""Check the peer's operators against the golden numbers in testdata before any of its times are believed."""

import json
from pathlib import Path

import numpy as np
from complexes import complex_from_record, header_of, laplacian_0, laplacian_1, record_from_complex

GOLDEN = Path(__file__).parents[1] / "testdata" / "toponetx" / "complexes.json"


def main() -> None:
    """Compare L_0 and L_1 of every golden complex, by both ways of taking the product."""
    rng = np.random.default_rng(0)
    golden = json.loads(GOLDEN.read_text())["complexes"]
    for entry in golden:
        record = {"vertices": entry["n"], "edges": entry["simplices"][1]}
        if not entry["clique"]:
            record["triangles"] = entry["simplices"][2]
        complex_ = complex_from_record(record, rng)
        assert complex_.triangles.tolist() == entry["simplices"][2], entry["name"]
        columns = header_of([complex_])["columns"]
        again = complex_from_record(json.loads(json.dumps(record_from_complex(complex_))), rng, columns)
        assert np.array_equal(again.vertex_signal, complex_.vertex_signal), entry["name"]
        assert np.array_equal(again.edge_signal, complex_.edge_signal), entry["name"]
        vertex, edge = (np.array(entry["laplacians"][k]["hodge"]) for k in (0, 1))
        assert np.array_equal(laplacian_0(complex_), vertex), entry["name"]
        for threshold in (0, 10**9):
            found = laplacian_1(complex_, sparse_from=threshold)
            assert np.array_equal(found, edge.reshape(found.shape)), entry["name"]
    print(f"{len(golden)} complexes agree")


if __name__ == "__main__":
    main()
