# Volume and energy of a run on the device beside two runs on the processor whose steps differ a little:
#   awk -F, -v frame=0.01 -f spread.awk cpu/stats.csv other/stats.csv gpu/stats.csv
# All are compared at the frames that all of them have reached.
FNR == 1 {
    run++
    delete place
    for (i = 1; i <= NF; i++) place[$i] = i
    next
}
{
    number = int($place["time"] / frame + 0.5)
    if ($place["time"] / frame - number > 1e-6 || number - $place["time"] / frame > 1e-6) next
    value[run, "volume", number] = $place["volume"]
    value[run, "surface volume", number] = $place["surface_volume"]
    value[run, "energy", number] = $place["kinetic_energy"] + $place["potential_energy"]
    value[run, "kinetic energy", number] = $place["kinetic_energy"]
    if (number > last[run]) last[run] = number
}
function distance(a, b) { return a > b ? a - b : b - a }
END {
    frames = last[1]
    for (i = 2; i <= 3; i++) if (last[i] < frames) frames = last[i]
    printf "%d frames; parts of the largest value\n%-16s%16s%16s%16s%16s\n", frames, "", "cpu to cpu", "gpu to cpu", "mean, cpu-cpu", "mean, gpu-cpu"
    split("volume,surface volume,energy,kinetic energy", names, ",")
    for (n = 1; n <= 4; n++) {
        most = spread = apart = sum = sum_apart = 0
        for (k = 1; k <= frames; k++) {
            a = value[1, names[n], k]; b = value[2, names[n], k]; g = value[3, names[n], k]
            size = distance(a, 0); if (size > most) most = size
            between = distance(a, b); if (between > spread) spread = between
            # From the mean of both, which are half their distance away from it.
            from = distance(g, (a + b) / 2); if (from > apart) apart = from
            sum += between; sum_apart += from
        }
        printf "%-16s%16.2e%16.2e%16.2e%16.2e\n", names[n], spread / most, apart / most, sum / frames / most, sum_apart / frames / most
    }
}
