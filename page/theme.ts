/** The theme: that of the system, until the reader chooses the other one. */
import { element } from './dom.js'

const key = 'alcove.explain.theme'

/** Returns the button that changes between light and dark. */
export function followTheme(): HTMLElement {
  const system = matchMedia('(prefers-color-scheme: dark)')
  let chosen = readChoice()
  const isDark = (): boolean => (chosen === undefined ? system.matches : chosen === 'dark')
  const button = element('button.button.theme', {
    type: 'button',
    onclick: () => {
      chosen = isDark() ? 'light' : 'dark'
      keepChoice(chosen)
      show()
    },
  })
  const show = (): void => {
    document.documentElement.dataset['theme'] = isDark() ? 'dark' : 'light'
    button.textContent = isDark() ? 'Light' : 'Dark'
    button.setAttribute('aria-label', `Change to the ${isDark() ? 'light' : 'dark'} theme`)
  }
  system.addEventListener('change', show)
  show()
  return button
}

// A browser may forbid a page that was opened as a file to keep anything.
function readChoice(): 'light' | 'dark' | undefined {
  try {
    const kept = localStorage.getItem(key)
    return kept === 'light' || kept === 'dark' ? kept : undefined
  } catch {
    return undefined
  }
}

function keepChoice(theme: 'light' | 'dark'): void {
  try {
    localStorage.setItem(key, theme)
  } catch {
    // It holds until the page is closed.
  }
}
