/** Texts in HTML. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeHtml } from '../../../lib/util/escape-html.js'

test('a text cannot end its element or its attribute, and is shown as it is', () => {
  assert.equal(escapeHtml('a&lt;"<b>'), 'a&amp;lt;&quot;&lt;b&gt;')
})
