/** The one style sheet, which comes with the script: nothing is drawn before it. */
import text from '#style'

export function applyStyle(): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  document.adoptedStyleSheets = [sheet]
}
