import { Injectable } from 'alcove'
import { Database } from '../database/database.js'
import { type NewProduct, NoSuchProduct, type Product, type ProductChanges } from './product.models.js'

const columns = 'id, seller_id as "sellerId", name, price, stock'

@Injectable()
export class Products {
  constructor(private readonly db: Database) {}

  /** Returns a page of products, the newest first. */
  list({ before, limit }: { before?: number | undefined; limit: number }): Promise<Product[]> {
    return this.db.query(`select ${columns} from products where $1::integer is null or id < $1 order by id desc limit $2`, [before, limit])
  }

  async find(id: number): Promise<Product> {
    const [product] = await this.db.query<Product>(`select ${columns} from products where id = $1`, [id])
    if (product === undefined) throw new NoSuchProduct({ productId: id })
    return product
  }

  async create(sellerId: number, { name, price, stock }: NewProduct): Promise<Product> {
    const [product] = await this.db.query<Product>(
      `insert into products (seller_id, name, price, stock) values ($1, $2, $3, $4) returning ${columns}`,
      [sellerId, name, price, stock],
    )
    return product!
  }

  async change(id: number, { name, price, stock }: ProductChanges): Promise<Product> {
    const [product] = await this.db.query<Product>(
      `update products set name = coalesce($2, name), price = coalesce($3, price), stock = coalesce($4, stock)
       where id = $1 returning ${columns}`,
      [id, name, price, stock],
    )
    if (product === undefined) throw new NoSuchProduct({ productId: id })
    return product
  }
}
