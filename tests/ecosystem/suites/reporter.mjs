// A reporter for `node --test` that writes one line of JSON for each test: its file, its titles from the outside in, and whether it passed.
import { relative } from 'node:path'

export default async function* results(events) {
  const titles = new Map()
  for await (const { type, data } of events) {
    const path = titles.get(data.file) ?? []
    if (type === 'test:start') {
      path.length = data.nesting
      titles.set(data.file, [...path, data.name])
    } else if (type === 'test:pass' || type === 'test:fail') {
      const file = relative(process.cwd(), data.file ?? data.name)
      const name = [...path.slice(0, data.nesting), data.name].join(' > ')
      // A file counts as a test of the runner. It matters only if the process failed beside its tests.
      const isFile = data.nesting === 0 && (data.name === data.file || data.name === file)
      if (data.skip !== undefined || data.todo !== undefined || data.details?.type === 'suite' || (isFile && type === 'test:pass')) continue
      const cause = data.details?.error?.cause ?? data.details?.error
      const reason = type === 'test:fail' ? String(cause?.message ?? cause) : undefined
      yield `${JSON.stringify({ file, name: isFile ? '(the file)' : name, passed: type === 'test:pass', reason })}\n`
    }
  }
}
