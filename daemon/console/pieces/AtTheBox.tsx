/** At the foot of a page: what belongs to it and is done at a terminal of the box alone, and who can do it. Only a technician looks for it. */
import { useId } from 'preact/hooks'
import { may } from '../frame/session.ts'
import { atTheBox, commandText, purposeText, sayAtTheBox, type PageAtTheBox } from './at-the-box.ts'

export function AtTheBox({ page }: { readonly page: PageAtTheBox }) {
  const id = useId()
  if (!may('box')) return null
  return (
    <section class="panel at-the-box" aria-labelledby={id}>
      <details>
        <summary>
          <h2 id={id}>{sayAtTheBox('title')}</h2>
        </summary>
        <p class="muted">{sayAtTheBox('who')}</p>
        <dl class="facts">
          {atTheBox[page].map((command) => (
            <>
              <dt>
                <code>{commandText(command)}</code>
              </dt>
              <dd>{purposeText(command)}</dd>
            </>
          ))}
        </dl>
      </details>
    </section>
  )
}
