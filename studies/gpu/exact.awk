# What three scenes with known answers give: awk -F, -v scene=NAME -f exact.awk stats.csv
# The bounds are those of the tests of the processor (crates/liquid/tests/suite/exact.rs).
BEGIN { gravity = 9.81; density = 1000; bad = 0 }
FNR == 1 {
    for (i = 1; i <= NF; i++) place[$i] = i
    next
}
{
    time = $place["time"]; volume = $place["volume"]; kinetic = $place["kinetic_energy"]
    if ($place["converged"] != "true") unconverged++
    if (FNR == 2) {
        first_volume = volume
        mass = density * $place["particles"] * 0.01 * 0.01 / 4 # of `ceiling-drop`: 100 cells, four particles in each
    }
    change = volume / first_volume - 1; if (change < 0) change = -change
    if (change > most_change) most_change = change
    if (kinetic > most_kinetic) most_kinetic = kinetic
    if (scene == "ceiling-drop" && time <= 0.35) {
        # Velocities are those of the middle of a step.
        error = sqrt(2 * kinetic / mass) / (gravity * (time - $place["dt"] / 2)) - 1; if (error < 0) error = -error
        if (error > most_error) most_error = error
    }
}
END {
    if (scene == "ceiling-drop") {
        printf "ceiling-drop: speed to %.1e of g t until it lands (bound 5e-3)", most_error
        bad = !(most_error <= 5e-3)
    } else if (scene == "rest") {
        part = most_kinetic / (first_volume * density * gravity * 0.5)
        printf "rest: kinetic energy at most %.1e of that of a fall through the depth (bound 1e-4), volume to %.1e (1e-3)", part, most_change
        bad = !(part <= 1e-4 && most_change <= 1e-3)
    } else {
        part = most_kinetic / (first_volume * density * gravity * 0.8)
        printf "%s: kinetic energy at most %.1e of that of a fall through the container (bound 1e-9), volume to %.1e (1e-6)", scene, part, most_change
        bad = !(part <= 1e-9 && most_change <= 1e-6)
    }
    printf "%s%s\n", unconverged ? ", " unconverged " steps not converged" : "", bad ? "  MISSED" : ""
}
