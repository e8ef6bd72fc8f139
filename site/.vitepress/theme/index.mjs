import TwoslashFloatingVue from '@shikijs/vitepress-twoslash/client'
// Without the web font of the default theme: the fonts of the system are there already.
import NotFound from 'vitepress/dist/client/theme-default/NotFound.vue'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import { OutlineWithoutScripts } from './outline.mjs'
import '@shikijs/vitepress-twoslash/style.css'
import './style.css'
import './home.css'

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'aside-outline-before': () => h(OutlineWithoutScripts),
      // The theme shows it outside of any landmark.
      'not-found': () => h('main', h(NotFound)),
    }),
  enhanceApp({ app }) {
    app.use(TwoslashFloatingVue)
  },
}
