import TwoslashFloatingVue from '@shikijs/vitepress-twoslash/client'
// Without the web font of the default theme: the fonts of the system are there already.
import DefaultTheme from 'vitepress/theme-without-fonts'
import '@shikijs/vitepress-twoslash/style.css'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.use(TwoslashFloatingVue)
  },
}
