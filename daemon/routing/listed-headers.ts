/** Which headers of an INVITE an application hears of. */

/** Headers come from the caller: an application gets those it was promised. Names in lower case. */
export function listedHeaders(
  headers: Readonly<Record<string, string>>,
  listed: readonly string[],
): { sipHeaders?: Record<string, string> } {
  const names = listed.map((name) => name.toLowerCase())
  const told = Object.entries(headers).filter(([name]) => names.includes(name))
  return told.length === 0 ? {} : { sipHeaders: Object.fromEntries(told) }
}
