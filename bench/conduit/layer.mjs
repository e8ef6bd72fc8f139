/**
 * The modules of samples/conduit that know nothing of a framework, for the applications on other ones. They are the compiled ones of the
 * sample, in a folder where `alcove` is a module whose decorators do nothing: no process pays for a framework that it does not use.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const place = fileURLToPath(new URL('dist/layer/', import.meta.url))
const sample = fileURLToPath(new URL('../../samples/conduit/', import.meta.url))

/** The exports whose results the modules use. Every other one is a decorator, or returns the function that it gets. */
const stubs = {
  factory: '(_provide, _inject, useFactory) => ({ useFactory })',
  token: '(name) => name',
  LOGGER: "'LOGGER'",
  ref: '() => ({})',
  Model: '() => class {}',
}

/** A module with the names that compiled modules import from alcove. */
function writeStub(directory) {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'))
  const imports = files.flatMap((file) => [...readFileSync(join(directory, file), 'utf8').matchAll(/import \{([^}]*)\} from 'alcove'/g)])
  const names = new Set(imports.flatMap(([, list]) => list.split(',').map((name) => name.trim().replace(/ as .*/, ''))))
  names.delete('')
  const other = "(first) => (typeof first === 'function' ? first : () => {})"
  return [...names].map((name) => `export const ${name} = ${stubs[name] ?? other}\n`).join('')
}

/** Prepares the folder. The sample must have been compiled. */
export function prepareLayer() {
  rmSync(place, { recursive: true, force: true })
  cpSync(join(sample, 'dist/src'), join(place, 'src'), { recursive: true })
  writeFileSync(join(place, 'package.json'), '{ "type": "module" }\n')
  const alcove = join(place, 'node_modules/alcove')
  mkdirSync(alcove, { recursive: true })
  writeFileSync(join(alcove, 'package.json'), '{ "type": "module", "exports": "./index.js" }\n')
  writeFileSync(join(alcove, 'index.js'), writeStub(join(place, 'src')))
  const { dependencies } = JSON.parse(readFileSync(join(sample, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    if (name === 'alcove') continue
    const link = join(place, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(sample, 'node_modules', name), link, 'junction')
  }
}

const silent = { info() {}, warn() {}, error() {}, debug() {} }

/** Opens the database of the environment and makes the objects of the sample by hand. */
export async function openLayer() {
  const load = (file) => import(new URL(`dist/layer/src/${file}.js`, import.meta.url).href)
  const [config, database, units, users, passwords, present, articles, comments, profiles, errors, keywords, tags] = await Promise.all(
    [
      'config',
      'database/database',
      'database/unit-of-work',
      'users/users',
      'auth/passwords',
      'users/present-user',
      'articles/articles',
      'comments/comments',
      'profiles/profiles',
      'errors',
      'schemas',
      'tags/get-tags',
    ].map(load),
  )
  const settings = config.readConfig(process.env)
  const db = await database.databaseProvider.useFactory(settings, silent)
  return {
    close: () => db.destroy(),
    secret: settings.JWT_SECRET,
    users: new users.Users(db, new passwords.Passwords()),
    // The operations of the measurement that use it need no transaction.
    articles: new articles.Articles(db, undefined),
    comments: commentsOf(db, comments.Comments, units),
    profiles: new profiles.Profiles(db),
    tags: async () => (await new tags.GetTags(db).handle()).tags,
    presentUser: present.presentUser,
    ApiError: errors.ApiError,
    answerError: errors.answerError,
    answerNotFound: errors.answerNotFound,
    keywords,
  }
}

/** The comments, each with the transaction that the sample has for a request. No mails are sent. */
function commentsOf(db, Comments, { UnitOfWork, retryConflicts }) {
  const mails = { add: async () => {} }
  const reading = new Comments(db, undefined, mails)
  return {
    list: (slug, viewer) => reading.list(slug, viewer),
    create(slug, comment, author) {
      const work = new UnitOfWork(db)
      const writing = new Comments(db, { current: work }, mails)
      return retryConflicts(
        work,
        () => writing.create(slug, comment, author),
        () => {},
      )
    },
  }
}
