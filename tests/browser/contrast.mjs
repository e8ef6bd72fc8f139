/** Measures the contrast of texts, as WCAG 2 defines it. */

/** Returns the texts of a page whose contrast with their background is below 4.5 : 1. */
export function contrastFaults(page) {
  return page.evaluate(() => {
    const parse = (text) => {
      const [red, green, blue, alpha = 1] = text.match(/[\d.]+/g).map(Number)
      return { rgb: [red, green, blue], alpha }
    }
    const luminance = (rgb) => {
      const [red, green, blue] = rgb.map((value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4))
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const backgroundOf = (start) => {
      for (let each = start; each !== null; each = each.parentElement) {
        const { rgb, alpha } = parse(getComputedStyle(each).backgroundColor)
        if (alpha === 1) return rgb
      }
      return [255, 255, 255]
    }
    const faults = new Set()
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
      const parent = text.parentElement
      if (text.textContent.trim() === '' || !parent.checkVisibility({ visibilityProperty: true }) || parent.closest('script, noscript'))
        continue
      const [one, other] = [luminance(parse(getComputedStyle(parent).color).rgb), luminance(backgroundOf(parent))]
      const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
      if (contrast < 4.5) faults.add(`${text.textContent.trim()} (${parent.className}): ${contrast.toFixed(2)}`)
    }
    return [...faults]
  })
}
