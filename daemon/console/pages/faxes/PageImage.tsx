/** The picture of a page. Its dots are 204 across and 196 down to the inch: it is shown so much higher than it is wide. */
import { useSignal } from '@preact/signals'
import { say } from './words.ts'

export interface PageImageProps {
  /** Address of the fax, the item or the preview. */
  readonly base: string
  readonly page: number
  /** Dots across that are asked for. */
  readonly width: number
  readonly alt: string
  /** At once, not when it comes into sight. */
  readonly eager?: boolean
  readonly onReady?: () => void
}

const letter = 8.5 / 11

export function PageImage({ base, page, width, alt, eager = false, onReady }: PageImageProps) {
  const shape = useSignal(letter)
  const failed = useSignal(false)
  if (failed.value) return <span class="no-picture">{say('noPicture')}</span>
  return (
    <img
      src={`${base}/pages/${page}.png?width=${width}`}
      alt={alt}
      loading={eager ? 'eager' : 'lazy'}
      decoding="async"
      style={{ aspectRatio: String(shape.value), '--shape': shape.value }}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
        shape.value = naturalWidth / 204 / (naturalHeight / 196)
        onReady?.()
      }}
      onError={() => {
        failed.value = true
        onReady?.()
      }}
    />
  )
}
