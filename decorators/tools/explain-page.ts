/** The HTML page of `explain`: contexts as nested boxes. It loads no external resources. */
import type { ContextDescription } from '../../lib/index.js'
import { escapeHtml } from '../../lib/internal.js'
import { constraintsOf, deprecationOf, namesOfHandlers, namesOfUsed, responsesOf, securityOf, validatedParts } from './explain-texts.js'
import type { ContextUse, RouteExplanation } from './explanation.js'

/** Returns the complete HTML page that shows contexts and routes. */
export function drawPage(root: ContextDescription, routes: readonly RouteExplanation[], uses: readonly ContextUse[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(root.name)}: what its routes see</title>
<style>${style}</style>
<main>
<section aria-label="Contexts">${contextAsHtml(root, routes, uses)}</section>
<section aria-label="Route" id="route" aria-live="polite"><p>Choose a route to see what it sees.</p></section>
</main>
${routes.map((route, index) => `<template id="route-${index}">${drawRoute(route)}</template>`).join('\n')}
<script>${script}</script>
</html>
`
}

function contextAsHtml(context: ContextDescription, routes: readonly RouteExplanation[], uses: readonly ContextUse[]): string {
  const used = namesOfUsed(context, uses)
  const own = routes.map((route, index) => ({ route, index })).filter(({ route }) => route.context === context.path)
  return `<div class="room" data-path="${escapeHtml(context.path)}"><h2>${escapeHtml(context.name)}${context.prefix ? ` <small>${escapeHtml(context.prefix)}</small>` : ''}</h2>
${used ? `<p><small>uses ${escapeHtml(used)}</small></p>` : ''}
${namesOfHandlers(context)
  .map((text) => `<p><small>${escapeHtml(text)}</small></p>`)
  .join('\n')}
${context.requestDecorators.map((name) => `<code class="decorator">request.${escapeHtml(name)}</code>`).join(' ')}
${own.map(({ route, index }) => `<button type="button" data-route="${index}" data-context="${escapeHtml(route.context)}"><b>${escapeHtml(route.methods.join(', '))}</b> ${escapeHtml(route.url)}${route.constraints === undefined ? '' : ` <small>${escapeHtml(constraintsOf(route))}</small>`}</button>`).join('\n')}
${context.children.map((child) => contextAsHtml(child, routes, uses)).join('\n')}</div>`
}

function drawRoute(route: RouteExplanation): string {
  const items = (entries: readonly { name: string; from: string }[]): string =>
    entries.length === 0
      ? '<p><small>none</small></p>'
      : `<ul>${entries.map(({ name, from }) => `<li><code>${escapeHtml(name)}</code> <small>${escapeHtml(from)}</small></li>`).join('')}</ul>`
  return `<h2>${escapeHtml(route.methods.join(', '))} ${escapeHtml(route.url)}</h2>
<p><small>in</small> ${escapeHtml(route.context)}<br><small>answered by</small> ${escapeHtml(route.place.replace(`${route.context} > `, ''))}${route.deprecated ? `<br>${escapeHtml(deprecationOf(route)!)}` : ''}</p>
<h3>Hooks, in order</h3>${items(route.hooks.map(({ hook, name, from }) => ({ name: `${hook} ${name}`, from })))}
<h3>Error handlers, nearest first</h3>${items(route.errorHandlers)}
<h3>Schema error formatter</h3>${items(route.schemaErrorFormatter === undefined ? [] : [route.schemaErrorFormatter])}
<h3>Authentication</h3><p>${escapeHtml(securityOf(route).join('; ') || 'none')}</p>
<h3>Validated</h3><p>${escapeHtml(validatedParts(route).join(', ') || 'nothing')}</p>
<h3>Responses</h3>${items(responsesOf(route))}
<h3>Request decorators it sees</h3>${items(route.visible.requestDecorators)}
<h3>Providers it sees</h3>${items(route.visible.providers)}
<h3>Hidden from it</h3><div class="hidden">${items([...route.hidden.requestDecorators, ...route.hidden.providers])}</div>`
}

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; --ink: #1d2733; --soft: #5d6b7a; --page: #f6f7f9; --card: #fff; --line: #cfd6de; --seen: #1f6fc4; --glow: #1f6fc414; --hid: #a2501c }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ef; --soft: #9aa8b7; --page: #12161b; --card: #1a2027; --line: #36414d; --seen: #58a6f5; --glow: #58a6f51a; --hid: #e0a070 } }
* { box-sizing: border-box }
body { margin: 0; color: var(--ink); background: var(--page) }
main { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.5rem; padding: 1.5rem; max-width: 100rem; margin: auto }
h2 { font-size: 1rem; margin: 0 0 .4rem } h3 { font-size: .78rem; letter-spacing: .03em; color: var(--soft); margin: 1.1rem 0 .25rem }
small { color: var(--soft) } p { margin: .2rem 0 } ul, ol { margin: 0; padding: 0; list-style: none } li { padding: .1rem 0; overflow-wrap: anywhere }
code { font: .9em ui-monospace, monospace }
.room { border: 1.5px solid var(--line); border-radius: .7rem; padding: .8rem 1rem; margin-top: .8rem; background: var(--card); transition: border-color .15s }
section > .room { margin-top: 0 }
.room.sees { border-color: var(--seen); box-shadow: inset 0 0 0 99rem var(--glow) }
.chosen .room:not(.sees) { border-style: dashed } .chosen .room:not(.sees) > :is(h2, .decorator) { opacity: .55 }
.decorator { display: inline-block; border: 1px solid var(--line); border-radius: 1rem; padding: 0 .6rem; margin: 0 .3rem .3rem 0 }
button { display: block; font: inherit; margin: .3rem 0; padding: .2rem .7rem; border: 1px solid var(--line); border-radius: .45rem; background: var(--page); color: inherit; cursor: pointer; text-align: left; overflow-wrap: anywhere }
button b { display: inline-block; min-width: 3.6em; font-size: .8em; color: var(--seen) }
button:hover, button:focus-visible { border-color: var(--seen) } button:focus-visible { outline: 2px solid var(--seen); outline-offset: 2px }
button[aria-pressed=true] { background: var(--seen); border-color: var(--seen); color: var(--card) } button[aria-pressed=true] b { color: inherit }
#route { position: sticky; top: 1.5rem; align-self: start; background: var(--card); border: 1.5px solid var(--line); border-radius: .7rem; padding: 1rem 1.2rem }
.hidden code { color: var(--hid) } .hidden code::before { content: '\\2205\\00a0' }
@media (max-width: 50rem) { main { grid-template-columns: minmax(0, 1fr); padding: .8rem } #route { position: static } }
`

const script = `
for (const button of document.querySelectorAll('button')) button.addEventListener('click', () => {
  for (const other of document.querySelectorAll('button')) other.setAttribute('aria-pressed', String(other === button))
  const context = button.dataset.context
  for (const room of document.querySelectorAll('.room')) {
    const path = room.dataset.path
    room.classList.toggle('sees', context === path || context.startsWith(path + ' > '))
  }
  document.querySelector('main').classList.add('chosen')
  document.getElementById('route').replaceChildren(document.getElementById('route-' + button.dataset.route).content.cloneNode(true))
})
`
