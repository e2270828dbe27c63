//! A pressure matrix of one's own, as the three arrays of compressed sparse rows (CSR).
//!
//! The problem is a column of liquid in a pipe: one cell per row, air above the top cell, walls all around. The wall of
//! the bottom cell pulls the liquid down. A sealed wall holds it; a separating wall lets go.
//!
//! ```sh
//! cargo run --release -p unstick --example own_matrix
//! ```

use unstick::mlcp::{CsrMatrix, Mlcp, SolverName};

/// Cells of the column.
const CELLS: usize = 6;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Row i holds −1 for each neighbour and the number of its open faces on the diagonal.
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..CELLS {
        let below = row.checked_sub(1).map(|column| (column, -1.0));
        let above = (row + 1 < CELLS).then_some((row + 1, -1.0));
        let open_faces = if row == 0 { 1.0 } else { 2.0 }; // the bottom is closed, the top is open to the air
        for (column, value) in [below, Some((row, open_faces)), above].into_iter().flatten() {
            columns.push(column as u32);
            values.push(value);
        }
        starts.push(columns.len() as u32);
    }
    let matrix = CsrMatrix::from_raw(starts, columns, values)?;

    // b is the net outflow of each cell: the bottom wall moves down and would draw the liquid after it.
    let mut outflow = [0.0; CELLS];
    outflow[0] = 1.0;
    let mut walls = [false; CELLS];
    walls[0] = true;

    let mut solver = "best".parse::<SolverName>()?.build(&Default::default());
    let sealed = Mlcp::new(&matrix, &outflow)?;
    let separating = sealed.clone().with_walls(&walls)?;
    for (name, problem) in [("sealed", &sealed), ("separating", &separating)] {
        let mut pressure = [0.0; CELLS];
        let report = solver.solve(problem, &mut pressure)?;
        println!("{name}: pressure {pressure:.2?}");
        println!("  {} after {} cycles, {} wall rows let go", report.outcome(), report.cycles(), report.active_rows());
    }
    Ok(())
}
