import { useData } from 'vitepress'
import { h } from 'vue'

/** "On this page" for browsers that run no scripts: the list of the theme is made in the browser. */
export function OutlineWithoutScripts() {
  const { page } = useData()
  return h('nav', { class: 'outline-without-scripts', 'aria-label': 'On this page' }, [h('p', 'On this page'), list(page.value.headers)])
}

function list(headers) {
  return h(
    'ul',
    headers.map(({ slug, title, children }) =>
      h('li', [h('a', { href: `#${slug}` }, title), ...(children.length > 0 ? [list(children)] : [])]),
    ),
  )
}
