/** The pages of a fax: one below the other, thumbnails at the side, zoom, turn, print, download. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from '../../pieces/Icon.tsx'
import type { IconName } from '../../pieces/icons.ts'
import { PageImage } from './PageImage.tsx'
import { say } from './words.ts'

export interface ViewerProps {
  /** Address of the fax or the item. */
  readonly base: string
  readonly pages: number
  readonly title: ComponentChildren
  /** The document, for a copy of it. */
  readonly pdf?: string | undefined
}

const zooms = [1, 1.5, 2]

export function Viewer({ base, pages, title, pdf }: ViewerProps) {
  const id = useId()
  const page = useSignal(1)
  const zoom = useSignal(0)
  const turn = useSignal(0)
  const printing = useSignal(false)
  const paper = useRef<HTMLDivElement>(null)
  const sheetOf = (n: number): Element | null => paper.current?.querySelector(`[data-page="${n}"]`) ?? null
  const show = (n: number): void => {
    page.value = Math.max(1, Math.min(pages, n))
    sheetOf(page.value)?.scrollIntoView({ block: 'start' })
  }
  useEffect(() => {
    const seen = new IntersectionObserver(
      (entries) => {
        const top = entries.filter((entry) => entry.isIntersecting).toSorted((a, b) => b.intersectionRatio - a.intersectionRatio)[0]
        if (top !== undefined) page.value = Number((top.target as HTMLElement).dataset['page'])
      },
      { root: paper.current, threshold: [0.5] },
    )
    for (const sheet of paper.current?.querySelectorAll('[data-page]') ?? []) seen.observe(sheet)
    return () => seen.disconnect()
  }, [base, pages])
  const numbers = Array.from({ length: pages }, (_, n) => n + 1)
  const factor = zooms[zoom.value]!
  return (
    <section class="panel viewer" aria-labelledby={id}>
      <header>
        <h2 id={id} class="titled">
          {title}
        </h2>
        <span class="count" role="status">
          {say('pageOf', { page: page.value, pages })}
        </span>
        <span class="grow" />
        <span class="tools">
          <Tool icon="left" says={say('pageBefore')} run={() => show(page.value - 1)} />
          <Tool icon="right" says={say('pageAfter')} run={() => show(page.value + 1)} />
          <Tool
            icon={zoom.value < zooms.length - 1 ? 'zoomIn' : 'zoomOut'}
            says={say(zoom.value < zooms.length - 1 ? 'zoomIn' : 'zoomOut')}
            run={() => (zoom.value = (zoom.value + 1) % zooms.length)}
          />
          <Tool icon="turn" says={say('turn')} run={() => (turn.value = (turn.value + 1) % 4)} />
          <Tool icon="print" says={say('print')} run={() => (printing.value = true)} />
          {pdf === undefined ? null : (
            <a class="btn small icon" href={pdf} download="" aria-label={say('download')}>
              <Icon name="download" />
            </a>
          )}
        </span>
      </header>
      <nav class="strip" aria-label={say('thumbs')}>
        <ol>
          {numbers.map((n) => (
            <li key={n}>
              <button
                type="button"
                class={`thumb ${n === page.value ? 'here' : ''}`}
                aria-current={n === page.value ? 'page' : undefined}
                onClick={() => show(n)}
              >
                <PageImage base={base} page={n} width={112} alt={say('page', { page: n })} />
                <span aria-hidden="true">{n}</span>
              </button>
            </li>
          ))}
        </ol>
      </nav>
      <div class="paper" ref={paper} tabIndex={0} role="region" aria-label={say('pages')}>
        {numbers.map((n) => (
          <div key={n} data-page={n} class={`sheet turned-${turn.value}`} style={{ width: `${factor * 100}%` }}>
            <PageImage base={base} page={n} width={factor > 1 ? 1728 : 864} alt={say('page', { page: n })} />
          </div>
        ))}
      </div>
      {printing.value ? <Printout base={base} numbers={numbers} done={() => (printing.value = false)} /> : null}
    </section>
  )
}

function Tool({ icon, says, run }: { readonly icon: IconName; readonly says: string; readonly run: () => void }) {
  return (
    <button type="button" class="btn small icon" aria-label={says} title={says} onClick={run}>
      <Icon name={icon} />
    </button>
  )
}

/** All pages in their own size, on paper alone. */
function Printout({ base, numbers, done }: { readonly base: string; readonly numbers: readonly number[]; readonly done: () => void }) {
  const left = useRef(numbers.length)
  const ready = (): void => {
    left.current -= 1
    if (left.current > 0) return
    addEventListener('afterprint', done, { once: true })
    print()
  }
  return (
    <div class="printout">
      <p class="vh" role="status">
        {say('printing')}
      </p>
      {numbers.map((n) => (
        <div key={n} class="one">
          <PageImage base={base} page={n} width={1728} alt="" eager onReady={ready} />
        </div>
      ))}
    </div>
  )
}
