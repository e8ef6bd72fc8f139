/** Makes elements. Texts of the application become text nodes and attributes, never markup. */

type Child = Node | string | undefined | false

/** The attributes of an element; `undefined` and `false` leave one out. Functions are listeners: `onclick`. */
type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: never) => void)>>

/** Makes an element: `element('a.item.chosen', { href: '#x' }, 'text')`. */
export function element(selector: string, attributes: Attributes = {}, ...children: readonly (Child | readonly Child[])[]): HTMLElement {
  const [tag, ...classes] = selector.split('.')
  const made = document.createElement(tag!)
  if (classes.length > 0) made.className = classes.join(' ')
  setAttributes(made, attributes)
  append(made, children)
  return made
}

/** Makes an element of SVG. */
export function drawing(tag: string, attributes: Attributes = {}, ...children: readonly Child[]): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag)
  setAttributes(made, attributes)
  append(made, children)
  return made
}

function setAttributes(made: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name.slice(2), value as EventListener)
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : String(value))
  }
}

function append(made: Element, children: readonly (Child | readonly Child[])[]): void {
  for (const child of children.flat()) if (child !== undefined && child !== false) made.append(child)
}

/** Returns a count with its noun: `1 route`, `2 routes`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`
}
