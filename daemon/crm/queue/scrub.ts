/** Texts of the CRM as they may stand in a list: names and numbers of patients are not among them. */
const word = /^[a-z][a-z0-9_]{0,63}$/i

/** The code of an error in JSON; else the text without numbers, addresses and what is quoted. */
export function scrub(text: string): string {
  const json = text.indexOf('{')
  if (json >= 0) {
    const code = codeIn(text.slice(json))
    if (code !== null) return `${text.slice(0, json)}${code}`
  }
  return text
    .replaceAll(/[^\s"'<>]+@[^\s"'<>]+/g, '[address]')
    .replaceAll(/"[^"]*"|'[^']*'/g, '"..."')
    .replaceAll(/\(?\+?\d[\d ().-]{3,}\d/g, '[number]')
}

function codeIn(text: string): string | null {
  try {
    const { code } = JSON.parse(text) as { code?: unknown }
    return typeof code === 'string' && word.test(code) ? code : null
  } catch {
    const code = /"code"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? ''
    return word.test(code) ? code : null
  }
}
