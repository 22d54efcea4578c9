/**
 * The text of the configuration in an editor. It stands in a shadow root: there CodeMirror takes its style sheets as the policy of the pages
 * allows them, without a style element.
 */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, nextDiagnostic, previousDiagnostic, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search'
import { Annotation, EditorState, type Text } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { effect, type Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { language } from '../../frame/words.ts'
import { say } from './words.ts'

/** At its place; lines and columns count from 1. */
export interface Mark {
  readonly line: number
  readonly column: number
  readonly text: string
  readonly severity: 'error' | 'warning'
}

export interface EditorProps {
  readonly text: Signal<string>
  readonly marks: readonly Mark[]
  readonly readOnly: boolean
  /** Set when it is there: puts the cursor at a place. */
  readonly reach: { go?: (line: number, column: number) => void; find?: () => void }
}

/** Of the page itself, not of the person. */
const fromPage = Annotation.define<boolean>()

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--green)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--ink-3)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.typeName, tags.labelName], color: 'var(--blue)' },
])

const look = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--panel)', fontSize: '13px', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'ui-monospace, "SF Mono", Menlo, "Liberation Mono", monospace', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--ink-3)', border: '0' },
  '.cm-activeLine': { backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-weak)',
  },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--ink)', border: '1px solid var(--line-strong)' },
  // The pictures that the package brings are data: addresses, which the policy of the pages refuses.
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--red)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--amber)' },
  '.cm-lintRange-active': { backgroundColor: 'var(--amber-weak)' },
  '.cm-lint-marker-error, .cm-lint-marker-warning': { content: 'normal', textAlign: 'center', fontSize: '15px', lineHeight: '1.3' },
  '.cm-lint-marker-error::before': { content: '"●"', color: 'var(--red)' },
  '.cm-lint-marker-warning::before': { content: '"▲"', color: 'var(--amber)' },
  '.cm-textfield, .cm-button': {
    backgroundColor: 'var(--panel)',
    backgroundImage: 'none',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    minHeight: '24px',
  },
})

/** What the editor's own panel for searching says. */
const phrases = {
  es: {
    Find: 'Buscar',
    Replace: 'Reemplazar',
    next: 'siguiente',
    previous: 'anterior',
    all: 'todo',
    'match case': 'mayúsculas',
    regexp: 'expresión regular',
    'by word': 'palabra',
    replace: 'reemplazar',
    'replace all': 'reemplazar todo',
    close: 'cerrar',
  },
}

export function Editor({ text, marks, readOnly, reach }: EditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | undefined>(undefined)
  useEffect(() => {
    const host = place.current!
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
    const made = (view.current = new EditorView({ state: stateOf(text.peek(), readOnly, (now) => (text.value = now)), root, parent: root }))
    made.dom.classList.add('editor')
    reach.go = (line, column) => {
      const at = offsetOf(made.state.doc, line, column)
      made.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) })
      made.focus()
    }
    reach.find = () => void openSearchPanel(made)
    // At once, not when the page is drawn next: by then a person has typed more.
    const end = effect(() => {
      const [now, then] = [made.state.doc.toString(), text.value]
      if (now !== then) made.dispatch({ changes: changed(now, then), annotations: fromPage.of(true) })
    })
    return () => {
      end()
      delete reach.go
      delete reach.find
      made.destroy()
    }
  }, [readOnly, language.value])
  useEffect(() => {
    const { current } = view
    if (current !== undefined) current.dispatch(setDiagnostics(current.state, diagnosticsOf(current.state.doc, marks)))
  }, [marks, readOnly, language.value])
  return <div ref={place} class="config-editor" />
}

function stateOf(doc: string, readOnly: boolean, onText: (text: string) => void): EditorState {
  const ownPhrases = language.value === 'es' ? [EditorState.phrases.of(phrases.es)] : []
  return EditorState.create({
    doc,
    extensions: [
      ...ownPhrases,
      ...[
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: true }),
      ],
      ...[yaml(), indentUnit.of('  '), syntaxHighlighting(colours), look, EditorView.lineWrapping],
      EditorState.readOnly.of(readOnly),
      // Tab leaves the editor, as everywhere on a page; indentation is Ctrl with [ and ].
      keymap.of([
        { key: 'F8', run: nextDiagnostic },
        { key: 'Shift-F8', run: previousDiagnostic },
        ...searchKeymap,
        ...historyKeymap,
        ...defaultKeymap,
      ]),
      EditorView.contentAttributes.of({ 'aria-label': say('editor'), tabindex: '0', spellcheck: 'false', autocapitalize: 'off' }),
      EditorView.updateListener.of(({ docChanged, state, transactions }) => {
        if (docChanged && !transactions.some((one) => one.annotation(fromPage) === true)) onText(state.doc.toString())
      }),
    ],
  })
}

/** Only what is otherwise, so that the cursor stays. */
function changed(before: string, after: string): { readonly from: number; readonly to: number; readonly insert: string } {
  const most = Math.min(before.length, after.length)
  let from = 0
  while (from < most && before[from] === after[from]) from++
  let same = 0
  while (same < most - from && before.at(-1 - same) === after.at(-1 - same)) same++
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) }
}

function offsetOf(doc: Text, line: number, column: number): number {
  const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines))
  return Math.min(to, from + column - 1)
}

function diagnosticsOf(doc: Text, marks: readonly Mark[]): Diagnostic[] {
  return marks.map(({ line, column, text, severity }) => {
    const from = offsetOf(doc, line, column)
    const rest = doc.lineAt(from).text.slice(from - doc.lineAt(from).from)
    const length = /^("[^"]*"?|'[^']*'?|[^\s,:\]}]+)/.exec(rest)?.[0].length ?? 0
    return { from, to: from + length, severity, message: `${line}:${column} ${text}` }
  })
}
