/** Where a PDF is dropped, or chosen. */
import type { LabelHTMLAttributes } from 'preact'
import { say } from './words.ts'

export interface FileDropProps extends LabelHTMLAttributes {
  /** Classes besides its own. */
  readonly kind: string
  /** Name of its button; what stands in it by default. */
  readonly name?: string
  readonly onFile: (file: File) => void
}

export function FileDrop({ kind, name, onFile, ...label }: FileDropProps) {
  return (
    <label class={`drop ${kind}`} {...label}>
      <b>{say('dropHere')}</b> {say('dropOr')}
      <br />
      <span class="muted small">{say('dropLimits')}</span>
      <input
        class="vh"
        type="file"
        accept="application/pdf,.pdf"
        aria-label={name}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          event.currentTarget.value = ''
          if (file !== undefined) onFile(file)
        }}
      />
    </label>
  )
}
