#compdef pbx
# zsh completion of pbx: words, options and what the box has now (/usr/share/pbxd/complete).
_pbx() {
  local -a found
  found=(${(f)"$(sh ${PBXD_COMPLETE:-/usr/share/pbxd/complete} "${(@)words[2,CURRENT]}" | sed 's/:/\\:/g; s/\t/:/; s/:$//')"})
  if (( $#found )); then _describe pbx found; else _files; fi
}
compdef _pbx pbx
