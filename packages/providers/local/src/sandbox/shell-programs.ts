/**
 * The few things that only a shell can do without help. Each is a constant: nothing that anybody says ever becomes a part
 * of it, arguments arrive as arguments. Programs are named by full path or found in a PATH set here, never in a tenant's.
 */

/**
 * Joins the control groups whose doors are the words before \`--\`, runs a command, and writes how it ended to 4, where it is
 * found even if nobody lived to see it.
 */
export const joinAndRecord = `
while [ "$1" != -- ]; do
  echo 0 >"$1" || exit 125
  shift
done
shift
"$@"
echo "{ \\"exit-code\\": $? }" >&4
`

/** The open files by which we speak to a row of shells: as many as a shell can name, for its redirections have one digit. */
export const monitorChannels: readonly number[] = [3, 4, 5, 6, 7, 8]
/** What they complain to. Not the one where the shell around them says of each that it was killed. */
export const monitorLog = 9

/**
 * A row of shells that are told on one channel each what to run. A shell says who it is, reads words (how many; each with how
 * many more lines it has), joins the control groups whose doors are before \`--\`, opens what the command is to find, and runs
 * it. It says how that ended on 4, where it is found even if nobody lived to see it, and to us. It goes on when we are gone, and
 * does nothing if we go before it was told anything. They are a pipeline, which waits for all of them: what a shell starts in
 * the background ignores SIGINT and SIGQUIT for ever, and so would a service.
 */
export const runWhenTold = `
attend() {
  trap : PIPE
  exec <&"$1" >&0 2>&${monitorLog} ${[...monitorChannels, monitorLog].map(file => `${file}<&-`).join(' ')}
  IFS= read -r self </proc/self/stat
  echo "$self"
  IFS= read -r count || exit
  set --
  while [ "$count" -gt 0 ]; do
    IFS= read -r more && IFS= read -r word || exit
    while [ "$more" -gt 0 ]; do
      IFS= read -r line || exit
      word="$word
$line"
      more=$((more - 1))
    done
    set -- "$@" "$word"
    count=$((count - 1))
  done
  directory=$1
  exec 3<"$2" 4>>"$directory/status" 8<>"$directory/stdout" 9<>"$directory/stderr"
  if [ -n "$3" ]; then exec 6<"$3"; fi
  shift 3
  while [ "$1" != -- ]; do
    echo 0 >"$1" || { echo 125; exit; }
    shift
  done
  shift
  echo open
  "$@" </dev/null >&8 2>&9 8>&- 9>&-
  code=$?
  echo "{ \\"exit-code\\": $code }" >&4
  echo "$code"
}
${monitorChannels.map(channel => `attend ${channel}`).join(' | ')}
`

/** Says who it is on 4 and becomes the command. For processes with nothing around them. */
export const sayAndRun = `
echo "{ \\"child-pid\\": $$ }" >&4
exec "$@" 4>&-
`

/**
 * Builds a file system in $1 and runs a command in it, as the first process of its namespaces. Arguments: the directory to
 * build in, how to bring the loopback device up (a count, then that many words), steps of three words each, \`--\`, the command.
 */
export const buildAndRun = `
set -e
kept=$PATH
PATH=/usr/sbin:/usr/bin:/sbin:/bin
root=$1
shift
count=$1
shift
if [ "$count" = 3 ]; then "$1" "$2" "$3"; fi
if [ "$count" = 5 ]; then "$1" "$2" "$3" "$4" "$5"; fi
shift "$count"
prepare() {
  if [ -d "$1" ]; then
    if [ ! -d "$2" ]; then mkdir -p "$2"; fi
  elif [ ! -e "$2" ]; then
    mkdir -p "\${2%/*}"
    : >"$2"
  fi
}
while [ "$1" != -- ]; do
  case $1 in
    root) mount --bind "$2" "$root" ;;
    root-ro) mount --bind "$2" "$root" && mount -o remount,bind,ro,nosuid,nodev "$root" ;;
    empty) mount -t tmpfs -o mode=0755,nosuid,nodev tmpfs "$root" ;;
    tmpfs) mkdir -p "$root$3" && mount -t tmpfs -o "$2" tmpfs "$root$3" ;;
    bind) prepare "$2" "$root$3" && mount --bind "$2" "$root$3" && mount -o remount,bind,nosuid,nodev "$root$3" ;;
    bind-ro) prepare "$2" "$root$3" && mount --bind "$2" "$root$3" && mount -o remount,bind,ro,nosuid,nodev "$root$3" ;;
    device) prepare "$2" "$root$3" && mount --bind "$2" "$root$3" ;;
    link) mkdir -p "$root\${3%/*}" && ln -s "$2" "$root$3" ;;
    mount) mkdir -p "$root$3" && mount -t "\${2%%:*}" -o "\${2#*:}" "\${2%%:*}" "$root$3" ;;
    seal) mount -o remount,bind,ro,nosuid,nodev "$root" ;;
  esac
  shift 3
done
shift
PATH=$kept
export PATH
echo '{ "child-pid": 0 }' >&4
set +e
"$@" 4>&-
exit $?
`

/** Gives a terminal its size and runs, in its place, the command whose words are in STEAD_ARG_0 and so on. */
export const runInTerminal = `
"$STEAD_STTY" rows "$STEAD_ROWS" cols "$STEAD_COLUMNS"
set --
index=0
while [ "$index" -lt "$STEAD_ARGS" ]; do
  eval "set -- \\"\\$@\\" \\"\\$STEAD_ARG_$index\\""
  unset "STEAD_ARG_$index"
  index=$((index + 1))
done
unset STEAD_STTY STEAD_ROWS STEAD_COLUMNS STEAD_ARGS index
exec "$@"
`

/** Gives a supervisor a place that only it can see: $1, with the directory $2 and memory in it. Then runs the rest. */
export const makeWorkPlace = `
set -e
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
work=$1
held=$2
shift 2
mount -t tmpfs -o mode=0755,nosuid,nodev tmpfs "$work"
mkdir "$work/stage" "$work/root" "$work/instances" "$work/images"
mount --bind "$held/instances" "$work/instances"
mount --bind "$held/images" "$work/images"
exec "$@"
`
