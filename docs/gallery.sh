#!/usr/bin/env bash
# Runs every scene of the catalogue and writes docs/gallery.md with a picture of each.
# Usage: docs/gallery.sh [SCENE…]   (without names: all; needs minutes to an hour)
set -euo pipefail
cd "$(dirname "$0")/.."
unstick="${UNSTICK:-cargo run --release --quiet --}"
runs="${OUT:-out}/gallery"
pictures="${OUT:-docs}/images/gallery"
mkdir -p "$runs" "$pictures"

# The part of a run at which a scene is worth a look, where it is not the middle.
moment() {
  case "$1" in
    ceiling-drop) echo 0.15 ;;
    adhesion) echo 0.18 ;;
    honey) echo 0.14 ;;
    glugging-bottle) echo 0.38 ;;
    rest | sealed-full) echo 1.0 ;;
    maze | two-discs | stairs*) echo 0.3 ;;
    cylinder-channel* | cavity* | oscillating-cylinder | kissing) echo 0.9 ;;
    *) echo 0.5 ;;
  esac
}

names=$($unstick scenes | awk '$2 ~ /^[23]D$/ { print $1 }')
for name in ${@:-$names}; do
  [ -f "$pictures/$name.png" ] && continue
  # Enough frames to get to the moment, and no more.
  frames=$($unstick scenes "$name" | awk -F= '/^frames *=/ { print int($2) }')
  stop=$(awk -v n="${frames:-100}" -v part="$(moment "$name")" 'BEGIN { k = int(n * part); print k < 1 ? 1 : k }')
  $unstick run "$name" --frames "$stop" --quiet --out "$runs/$name" \
    --set output.width=420 --set output.movie=false --set output.checkpoint_every=0
  cp "$(ls "$runs/$name"/frames/*.png | tail -1)" "$pictures/$name.png"
done

{
  printf '# Gallery\n\nEvery scene that comes with the program, as it looks on the way. `unstick run NAME` runs one,\n'
  printf '`unstick scenes NAME` prints it to begin your own. `docs/gallery.sh` writes this page.\n'
  for name in $names; do
    [ -f "$pictures/$name.png" ] || continue
    about=$($unstick scenes | awk -v name="$name" '$1 == name { $1 = $2 = $3 = ""; sub(/^ +/, ""); print }')
    printf '\n## %s\n\n%s\n\n![%s](images/gallery/%s.png)\n' "$name" "$about" "$name" "$name"
  done
} > "${OUT:-docs}/gallery.md"
