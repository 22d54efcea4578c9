/** Written by npm run generate: what the files of schema/ hold. */
import { shownLists as extensions } from './extensions.ts'
import { shownLists as parking } from './parking.ts'
import { shownLists as people } from './people.ts'

export const listsShown = { ...extensions, ...parking, ...people }
