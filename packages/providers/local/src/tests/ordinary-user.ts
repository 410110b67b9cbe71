/** Nobody in particular: a user who owns nothing on this machine. */
const uid = 64_242

/** Makes this process an ordinary user's, for good. Test files have processes of their own. */
export function becomeOrdinary(): void {
  if (process.getuid?.() !== 0) return
  process.setgroups!([])
  process.setgid!(uid)
  process.setuid!(uid)
  process.env.HOME = '/nonexistent'
}
