/** Where the bytes of images and documents come from. */

export interface APIBase64ImageSource {
  type: 'base64';
  media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';
  data: string;
}

export interface APIBase64PDFSource {
  type: 'base64';
  media_type: 'application/pdf';
  data: string;
}

export interface APIPlainTextSource {
  type: 'text';
  media_type: 'text/plain';
  data: string;
}

export interface APIURLSource {
  type: 'url';
  url: string;
}

/** A file of the Files API. */
export interface APIFileSource {
  type: 'file';
  file_id: string;
}

/** Where a text of the model, or of a prompt, comes from. */

interface Cited {
  cited_text: string;
}

/** Positions count from 0, but pages from 1; ends are exclusive. */
interface InDocument extends Cited {
  document_index: number;
  document_title: string | null;
}

interface CharRange extends InDocument {
  type: 'char_location';
  start_char_index: number;
  end_char_index: number;
}

interface PageRange extends InDocument {
  type: 'page_location';
  start_page_number: number;
  end_page_number: number;
}

interface BlockRange extends InDocument {
  type: 'content_block_location';
  start_block_index: number;
  end_block_index: number;
}

interface OnWebPage extends Cited {
  type: 'web_search_result_location';
  url: string;
  title: string | null;
  encrypted_index: string;
}

interface InSearchResult extends Cited {
  type: 'search_result_location';
  search_result_index: number;
  source: string;
  title: string | null;
  start_block_index: number;
  end_block_index: number;
}

/** The file of the Files API that a document came from. */
interface FromFile {
  file_id: string | null;
}

/** A citation in a text of the model. */
export type APITextCitation =
  | (CharRange & FromFile)
  | (PageRange & FromFile)
  | (BlockRange & FromFile)
  | OnWebPage
  | InSearchResult;

/** A citation in a text of a prompt. */
export type APITextCitationParam = CharRange | PageRange | BlockRange | OnWebPage | InSearchResult;
