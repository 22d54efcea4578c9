/** What the panels of this page share: the lines and phones as the box has them, and how each is shown and tested. */
import type { LineView } from '../../../schema/operation.ts'
import type { PhonesView, PhoneView } from '../../../schema/phones.ts'
import { extensionName } from '../../frame/house.ts'
import { thing } from '../../frame/state.ts'
import { sayBox } from '../../pieces/box-words.ts'
import { foreign } from '../../pieces/Number.tsx'
import { Steps } from '../../pieces/Steps.tsx'
import { nowMs } from '../../pieces/Time.tsx'

export const lineList = thing<readonly LineView[]>('/api/lines', ['box', 'extensions'])
/** The event of a phone that fetched its settings is one of the box. */
export const phoneList = thing<PhonesView>('/api/phones', ['box'])

export const isAwaited = ({ openUntil }: PhoneView): boolean => openUntil !== null && Date.parse(openUntil) > nowMs.value

/** Number and name of an extension. */
export function namedExtension(id: string): string {
  const name = extensionName(id)
  return name === '' ? id : `${id} ${foreign(name)}`
}

export function TestOf({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  return <Steps title={sayBox('testOf', { name: id })} path={`/api/lines/${encodeURIComponent(id)}/test`} onClose={onClose} />
}
