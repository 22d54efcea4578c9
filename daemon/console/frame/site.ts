/** What the document says of the box and its site, before anybody has signed in. */
import type { Site } from '../site.ts'
import { language, writeFiguresAs } from './words.ts'

const said = document.querySelector('meta[name="site"]')?.getAttribute('content')

export const site: Site = JSON.parse(said ?? 'null') ?? {
  ...{ name: '', language: 'en', timeZone: 'UTC', country: 'US', help: '', waitSeconds: 60, anybody: true },
}

/** BCP 47, for dates and figures: the person's language as it is written in the country of the site. */
export function locale(): string {
  const spoken = language.value === 'es' ? 'es' : 'en'
  return site.language.startsWith(spoken) ? site.language : `${spoken}-${site.country}`
}
writeFiguresAs(locale)
