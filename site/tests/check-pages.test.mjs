/** What the check of the built pages finds, in pages that exist only here. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOfPage } from '../check-pages.mjs'

const page = (main, rest = '') => `<html lang="en"><head><title>A page</title></head><body>${rest}<main>${main}</main></body></html>`

test('a page with a language, a title and headings in order has no fault', () => {
  assert.deepEqual(faultsOfPage(page('<h1>A</h1><h2>B</h2><h3>C</h3><h2>D</h2><img src="a.svg" alt="Rooms"><a href="b.html">B</a>')), [])
})

test('a heading that leaves out a level is reported, in the text but not in the table of contents beside it', () => {
  assert.deepEqual(faultsOfPage(page('<h1>A</h1><h3 id="c">C</h3>')), ['<h3 id="c"> follows <h1>: a level is missing'])
  assert.deepEqual(faultsOfPage(page('<h1>A</h1>', '<aside><h2>Contents</h2></aside>')), [])
})

test('a page has one first heading and one main part', () => {
  assert.deepEqual(faultsOfPage(page('<h1>A</h1><h1>B</h1>')), ['the page has 2 <h1>'])
  assert.deepEqual(faultsOfPage('<html lang="en"><title>A</title><h1>A</h1></html>'), ['the page has 0 <main>'])
})

test('a picture without an alt text is reported; an empty one marks a picture that says nothing', () => {
  assert.deepEqual(faultsOfPage(page('<h1>A</h1><img src="a.svg"><img src="b.svg" alt="">')), ['the picture a.svg has no alt text'])
})

test('a link or heading that a screen reader cannot name is reported', () => {
  assert.deepEqual(faultsOfPage(page('<h1>A</h1><a href="b.html"><svg></svg></a><a name="x"></a><h2> </h2>')), [
    '<a href="b.html"> has no text',
    '<h2> has no text',
  ])
  assert.deepEqual(faultsOfPage(page('<h1>A</h1><a href="c.html" aria-label="C"></a><a href="b.html"><img src="b.svg" alt="B"></a>')), [])
})

test('an id that two elements have, and a page without language or title, are reported', () => {
  assert.deepEqual(faultsOfPage(page('<h1 id="a">A</h1><h2 id="a">B</h2>')), ['two elements have the id a'])
  assert.deepEqual(faultsOfPage('<html><main><h1>A</h1></main></html>'), ['the page does not name its language', 'the page has no title'])
})
