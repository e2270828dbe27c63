# Milliseconds a step, by the columns of stats.csv, without the first step: its time has the start of the run in it. The
# steps of the first `until` frames of `frame` seconds come on a line of their own.
function show(count,    i) {
  printf "  %d steps, ms each:", count
  for (i = 1; i <= NF; i++) if (i in name && sum[i] / count >= 0.00005) printf " %s %.1f", substr(name[i], 9), 1000 * sum[i] / count
  printf "; in all %.1f\n", 1000 * total / count
}
FNR == 1 { for (i = 1; i <= NF; i++) { if ($i ~ /^seconds_/) name[i] = $i; if ($i == "time") time = i }; next }
FNR == 2 { next }
{
  for (i in name) { sum[i] += $i; total += $i }
  steps++
  if (!told && $time > until * frame - 1e-9) { told = steps; show(steps) }
}
END { if (steps > told) show(steps) }
