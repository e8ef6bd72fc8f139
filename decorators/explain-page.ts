/** The page that {@link explain} draws: contexts as rooms within rooms, without any outside resource. */
import type { ContextDescription } from '../lib/index.js'
import type { RouteExplanation } from './explanation.js'

/** @returns a complete HTML document */
export function drawPage(root: ContextDescription, routes: readonly RouteExplanation[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(root.name)}</title>
<style>${style}</style>
<main>
<section aria-label="Contexts">${drawRoom(root, routes)}</section>
<section aria-label="Route" id="route" aria-live="polite"><p>Choose a route to see what it sees.</p></section>
</main>
${routes.map((route, index) => `<template id="route-${index}">${drawRoute(route)}</template>`).join('\n')}
<script>${script}</script>
</html>
`
}

function drawRoom(context: ContextDescription, routes: readonly RouteExplanation[]): string {
  const own = routes.map((route, index) => ({ route, index })).filter(({ route }) => route.context === context.path)
  return `<div class="room" data-path="${escape(context.path)}"><h2>${escape(context.name)}${context.prefix ? ` <small>${escape(context.prefix)}</small>` : ''}</h2>
${context.requestDecorators.map((name) => `<code class="decorator">request.${escape(name)}</code>`).join(' ')}
${own.map(({ route, index }) => `<button type="button" data-route="${index}" data-context="${escape(route.context)}"><b>${escape(route.method)}</b> ${escape(route.url)}</button>`).join('\n')}
${context.children.map((child) => drawRoom(child, routes)).join('\n')}</div>`
}

function drawRoute(route: RouteExplanation): string {
  const items = (entries: readonly { name: string; from: string }[]): string =>
    entries.length === 0
      ? '<p>none</p>'
      : `<ul>${entries.map(({ name, from }) => `<li><code>${escape(name)}</code> <small>${escape(from)}</small></li>`).join('')}</ul>`
  return `<h2>${escape(route.method)} ${escape(route.url)}</h2>
<p>in ${escape(route.context)}, answered by ${escape(route.handler)}</p>
<h3>Hooks, in order</h3>${items(route.hooks.map(({ hook, name, from }) => ({ name: `${hook} ${name}`, from })))}
<h3>Validated</h3><p>${escape(route.parts.join(', ') || 'nothing')}</p>
<h3>Serializers</h3><p>${escape(route.responses.join(', ') || 'none: plain JSON')}</p>
<h3>Request decorators it sees</h3>${items(route.visible.requestDecorators)}
<h3>Providers it sees</h3>${items(route.visible.providers)}
<h3>Hidden from it</h3>${items([...route.hidden.requestDecorators, ...route.hidden.providers])}`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

const style = `
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif }
body { margin: 0 } main { display: grid; grid-template-columns: 3fr 2fr; gap: 1.5rem; padding: 1.5rem }
h2 { font-size: 1rem; margin: 0 0 .4rem } h3 { font-size: .85rem; margin: 1rem 0 .2rem } small { opacity: .7 }
.room { border: 2px solid #7a8; border-radius: .6rem; padding: .8rem; margin: .6rem 0; background: #7a81 }
.room.sees { border-color: #27c; background: #27c2 }
button { display: block; font: inherit; margin: .25rem 0; padding: .2rem .6rem; border: 1px solid #888; border-radius: .4rem; background: none; color: inherit; cursor: pointer }
button[aria-pressed=true] { background: #27c; color: #fff }
#route { position: sticky; top: 1.5rem; align-self: start } ul { margin: 0; padding-left: 1.2rem }
`

const script = `
for (const button of document.querySelectorAll('button')) button.addEventListener('click', () => {
  for (const other of document.querySelectorAll('button')) other.setAttribute('aria-pressed', String(other === button))
  const context = button.dataset.context
  for (const room of document.querySelectorAll('.room')) {
    const path = room.dataset.path
    room.classList.toggle('sees', context === path || context.startsWith(path + ' > '))
  }
  document.getElementById('route').replaceChildren(document.getElementById('route-' + button.dataset.route).content.cloneNode(true))
})
`
