/**
 * Ids of texts, as answers to submit_sm and receipts write them: many services write one in decimal and the other in hexadecimal, with other letter
 * case and leading zeros. Which way is learned from the ids that the trunk was given.
 */

/** How a receipt writes the id that the answer gave. */
export type ReceiptIds = 'auto' | 'same' | 'decimal' | 'hexadecimal'

const toDecimal = (id: string): string | null => (/^[0-9a-f]{1,32}$/i.test(id) ? BigInt(`0x${id}`).toString(10) : null)
const toHexadecimal = (id: string): string | null => (/^\d{1,39}$/.test(id) ? BigInt(id).toString(16) : null)
/** Letter case, leading zeros and the sign of hexadecimal numbers differ too. */
const plain = (id: string): string =>
  id
    .toLowerCase()
    .replace(/^0x(?=[0-9a-f])/, '')
    .replace(/^0+(?=.)/, '')

/** Ids that are remembered to compare with. */
const mostIds = 10_000

type Form = Exclude<ReceiptIds, 'auto'>

/** Finds the id as the answer to submit_sm wrote it. */
export class ReceiptIdBook {
  readonly #given = new Map<string, string>()
  readonly #forms: readonly Form[]
  /** The form that has been right so far. */
  #usual: Form

  constructor(form: ReceiptIds) {
    this.#forms = form === 'auto' ? ['same', 'decimal', 'hexadecimal'] : [form]
    this.#usual = form === 'auto' ? 'same' : form
  }

  remember(id: string): void {
    if (this.#given.size >= mostIds) this.#given.delete(this.#given.keys().next().value!)
    this.#given.set(plain(id), id)
  }

  knows(receipt: string): boolean {
    return this.#matches(receipt).length > 0
  }

  /** As the answer may have written it: for a text sent before the last start, whose answer is not known here. The likeliest first. */
  candidates(receipt: string): string[] {
    const forms = [this.#usual, ...this.#forms.filter((form) => form !== this.#usual)]
    const ids = forms.flatMap((form) => inForm(receipt, form) ?? [])
    return [...new Set(ids.flatMap((id) => [id, id.toUpperCase(), id.toLowerCase(), plain(id), plain(id).toUpperCase()]))]
  }

  /** As the answer wrote it where that is known; otherwise in the usual form. */
  find(receipt: string): string {
    const found = this.#matches(receipt)
    const match = found.find(({ form }) => form === this.#usual) ?? found[0]
    if (match === undefined) return inForm(receipt, this.#usual) ?? receipt
    // Two forms that both lead to a text teach nothing.
    if (found.length === 1) this.#usual = match.form
    return match.given
  }

  #matches(receipt: string): { form: Form; given: string }[] {
    return this.#forms.flatMap((form) => {
      const id = inForm(receipt, form)
      const given = id === null ? undefined : this.#given.get(plain(id))
      return given === undefined ? [] : [{ form, given }]
    })
  }
}

/** The id of the answer, were the receipt's written in this form; null where it cannot be. */
function inForm(receipt: string, form: Form): string | null {
  if (form === 'decimal') return toHexadecimal(receipt)
  return form === 'hexadecimal' ? toDecimal(receipt.replace(/^0x/i, '')) : receipt
}
