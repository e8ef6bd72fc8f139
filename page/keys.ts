/** The keyboard: `/` searches, arrows move in the list, Enter opens, Escape closes. */
import type { Page } from './state.js'

/** Makes one entry of a list the one that Tab reaches, so that a list of 1,000 entries is one stop. */
export function moveTo(list: HTMLElement, entry: HTMLElement | null): void {
  for (const other of list.querySelectorAll<HTMLElement>('.item[tabindex="0"]')) other.tabIndex = -1
  if (entry !== null) entry.tabIndex = 0
}

export function followKeys(page: Page, { search, list }: { readonly search: HTMLInputElement; readonly list: HTMLElement }): void {
  list.addEventListener('focusin', (event) => {
    const entry = (event.target as HTMLElement).closest<HTMLElement>('.item')
    if (entry !== null) moveTo(list, entry)
  })
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = event.target as HTMLElement
    const isTyping = target === search
    if (event.key === '/' && !isTyping) {
      event.preventDefault()
      search.focus()
      search.select()
    } else if (event.key === 'Escape') close(page, search)
    else if (isTyping && event.key === 'Enter') list.querySelector<HTMLElement>('.item')?.click()
    else if (isTyping || target === document.body || list.contains(target)) move(event, list, isTyping)
  })
}

function close({ state, go }: Page, search: HTMLInputElement): void {
  if (state.query !== '') go({ query: '' })
  else if (state.view === 'wiring' ? state.node !== undefined : state.route !== undefined || state.node !== undefined)
    go({ route: undefined, node: undefined })
  else if (state.hook !== undefined || state.context !== undefined) go({ hook: undefined, context: undefined })
  else search.blur()
}

function move(event: KeyboardEvent, list: HTMLElement, isTyping: boolean): void {
  const entries = [...list.querySelectorAll<HTMLElement>('.item')]
  const at = entries.indexOf(document.activeElement as HTMLElement)
  const steps: Readonly<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: Math.max(0, at - 1) }
  const ends: Readonly<Record<string, number>> = isTyping
    ? {}
    : { Home: 0, End: entries.length - 1, PageDown: at + 15, PageUp: Math.max(0, at - 15) }
  const wanted = { ...steps, ...ends }[event.key]
  const entry = wanted === undefined ? undefined : entries[Math.min(wanted, entries.length - 1)]
  if (entry === undefined) return
  event.preventDefault()
  entry.focus()
  entry.scrollIntoView({ block: 'nearest' })
}
