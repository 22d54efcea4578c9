/** In which language the house speaks to the people of a phone. */
import type { Config } from './config.ts'

/** BCP 47; that of the site for a phone that names none, and for whoever is no phone of the house. */
export function languageOf({ site, extensions }: Pick<Config, 'site' | 'extensions'>, extension: string): string {
  return extensions.find(({ number }) => number === extension)?.language ?? site.language
}
