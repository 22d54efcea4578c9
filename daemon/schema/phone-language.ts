/** In which language the house speaks to the people of a phone. */
import type { Config } from './config.ts'

/** BCP 47, the best first: its own where it names one, and that of the site. */
export function languagesOf({ site, extensions }: Pick<Config, 'site' | 'extensions'>, extension: string): readonly string[] {
  const own = extensions.find(({ number }) => number === extension)?.language
  return own === undefined ? [site.language] : [own, site.language]
}
