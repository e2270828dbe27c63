# Two stats.csv side by side: seconds of each stage, cycles, and how far the invariants are apart.
BEGIN { FS = "," }
FNR == 1 { run++; columns = NF; for (i = 1; i <= NF; i++) name[i] = $i; next }
{
  steps[run] = FNR - 1
  for (i = 1; i <= NF; i++) { value[run, FNR, i] = $i; sum[run, i] += $i }
}
END {
  printf "%-24s%12s%12s\n", "", "first", "second"
  printf "%-24s%12d%12d\n", "steps", steps[1], steps[2]
  for (i = 1; i <= columns; i++) {
    if (name[i] ~ /^seconds_/ || name[i] == "cycles" || name[i] == "inner_iterations")
      printf "%-24s%12.3f%12.3f\n", name[i], sum[1, i], sum[2, i]
    if (name[i] == "volume" || name[i] ~ /_energy$/) {
      largest = apart = 0
      for (row = 2; row <= (steps[1] < steps[2] ? steps[1] : steps[2]) + 1; row++) {
        size = value[1, row, i] < 0 ? -value[1, row, i] : value[1, row, i]
        difference = value[1, row, i] - value[2, row, i]
        if (difference < 0) difference = -difference
        if (size > largest) largest = size
        if (difference > apart) apart = difference
      }
      printf "%-24s%24s\n", name[i], sprintf("%.1e apart", largest > 0 ? apart / largest : apart)
    }
  }
}
