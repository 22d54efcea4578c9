# fish completion of pbx: words, options and what the box has now (/usr/share/pbxd/complete).
function __pbx_complete
    set -l program /usr/share/pbxd/complete
    set -q PBXD_COMPLETE; and set program $PBXD_COMPLETE
    set -l before (commandline -opc)
    sh $program $before[2..] (commandline -ct)
end
complete -c pbx -a '(__pbx_complete)'
