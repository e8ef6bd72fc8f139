/** The changes between two states of the application. */
import type { Change, Comparison } from '../data/compare.js'
import { count, element } from '../dom.js'
import { drawChange } from './route-details.js'
import { drawMark } from './route-list.js'
import type { Page } from '../state.js'

const titles = { route: 'Routes', plugin: 'Plugins', provider: 'Providers and classes' } as const

export function drawChanges(page: Page, comparison: Comparison): HTMLElement {
  const words = page.state.query.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = comparison.changes.filter(({ name, details }) => {
    const text = [name, ...details.map((detail) => detail.text)].join('\n').toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const groups = (Object.keys(titles) as (keyof typeof titles)[]).map(
    (subject) => [subject, shown.filter((change) => change.subject === subject)] as const,
  )
  return element(
    'div.groups',
    {},
    ...groups
      .filter(([, group]) => group.length > 0)
      .map(([subject, group]) =>
        element(
          'section.group',
          { 'aria-label': titles[subject] },
          element('h2', {}, titles[subject], element('span.number', {}, String(group.length))),
          element('ul', {}, ...group.map((change) => element('li', {}, drawItem(page, change)))),
        ),
      ),
    shown.length === 0 && element('p.empty', {}, words.length === 0 ? 'The two states are equal.' : 'No change has these words.'),
  )
}

function drawItem(page: Page, { mark, name, subject, details, opens }: Change): HTMLElement {
  const isChosen = subject === 'route' ? page.state.route === name : page.state.node === name
  return element(
    `button.item.change-row.${mark}`,
    {
      type: 'button',
      tabindex: -1,
      'aria-current': isChosen ? 'true' : undefined,
      onclick: () => page.go(subject === 'route' ? { route: name, node: undefined } : { node: name, route: undefined }),
    },
    drawMark(mark),
    element('span.name', {}, name),
    opens && element('span.alarm', {}, 'may let in more'),
    details.length > 0 &&
      element('span.what', {}, details.map(({ mark, text }) => (mark === 'changed' ? text : `${mark} ${text}`)).join('; ')),
  )
}

/** Draws a change of a plugin or provider. */
export function drawOther(change: Change): HTMLElement {
  return element('article.details', { 'aria-label': change.name }, element('h1', {}, change.name), drawChange(change))
}

export function drawSummary({ changes }: Comparison): HTMLElement {
  const countOf = (mark: Change['mark']): number => changes.filter((change) => change.mark === mark).length
  const opening = changes.filter(({ opens }) => opens).length
  return element(
    'div.overview',
    {},
    element('h1', {}, count(changes.length, 'change')),
    element(
      'dl.numbers',
      {},
      ...(['gained', 'lost', 'changed'] as const).map((mark) =>
        element('div', {}, element('dd', {}, String(countOf(mark))), element('dt', {}, drawMark(mark), ` ${mark}`)),
      ),
    ),
    opening > 0 &&
      element(
        'p',
        {},
        element('span.alarm', {}, count(opening, 'change')),
        ' may let in more requests: a guard is lost, or a new route has none.',
      ),
    element('p.soft', {}, 'Choose a change to see the route as it is now, with both states of its hooks and schemas.'),
  )
}
