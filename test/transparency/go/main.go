// Checks a log of ours with the code of Go's checksum database: golang.org/x/mod/sumdb/tlog and sumdb/note.
//
// Usage: main [-log=URL] FOLDER SIZE...
//
// The tiles of the log are below URL, or in FOLDER as they are published. FOLDER has its verifier key as verifier-key and, for
// each size, its checkpoint as checkpoints/SIZE, a receipt as receipts/SIZE with its entry as leaves/SIZE, and the
// consistency proofs from the sizes before it as consistency/FROM-SIZE.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type source struct {
	folder string
	// The address of the log; empty if its tiles are in the folder.
	url string
}

func (s source) read(path string) []byte {
	data, err := os.ReadFile(filepath.Join(s.folder, path))
	check(err)
	return data
}

// readTile reads a tile or bundle as it is published.
func (s source) readTile(path string) []byte {
	if s.url == "" {
		return s.read(path)
	}
	answer, err := http.Get(s.url + "/" + path)
	check(err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		log.Fatalf("%s: %s", path, answer.Status)
	}
	data, err := io.ReadAll(answer.Body)
	check(err)
	return data
}

// Height is that of the tiles of C2SP tlog-tiles.
func (s source) Height() int { return 8 }

// ReadTiles reads tiles, whose paths begin with their height in Go's checksum database.
func (s source) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var contents [][]byte
	for _, tile := range tiles {
		contents = append(contents, s.readTile(strings.Replace(tile.Path(), "tile/8/", "tile/", 1)))
	}
	return contents, nil
}

func (s source) SaveTiles([]tlog.Tile, [][]byte) {}

// tilesOf returns the tiles of a level in a tree of that size. tlog.NewTiles would add those of all smaller sizes.
func tilesOf(level int, size int64) []tlog.Tile {
	var tiles []tlog.Tile
	count := size >> (8 * level)
	for n := int64(0); n*256 < count; n++ {
		width := count - n*256
		if width > 256 {
			width = 256
		}
		tiles = append(tiles, tlog.Tile{H: 8, L: level, N: n, W: int(width)})
	}
	return tiles
}

// entries reads all entries of a log of that size from its bundles.
func (s source) entries(size int64) [][]byte {
	var entries [][]byte
	for _, tile := range tilesOf(0, size) {
		bundle := s.readTile(strings.Replace(tile.Path(), "tile/8/0/", "tile/entries/", 1))
		for len(bundle) > 0 {
			end := 2 + int(binary.BigEndian.Uint16(bundle))
			if end > len(bundle) {
				log.Fatalf("the bundle of %s ends within an entry", tile.Path())
			}
			entries = append(entries, bundle[2:end])
			bundle = bundle[end:]
		}
	}
	return entries
}

func parseSize(text string) int64 {
	size, err := strconv.ParseInt(text, 10, 64)
	check(err)
	return size
}

func parseHash(text string) tlog.Hash {
	hash, err := tlog.ParseHash(text)
	check(err)
	return hash
}

// checkpoint verifies a signed note and parses its three lines. tlog.ParseTree knows the origin of Go's log only.
func checkpoint(signed []byte, key string) tlog.Tree {
	verifier, err := note.NewVerifier(key)
	check(err)
	opened, err := note.Open(signed, note.VerifierList(verifier))
	check(err)
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() {
		log.Fatalf("not a checkpoint of %s: %q", verifier.Name(), opened.Text)
	}
	return tlog.Tree{N: parseSize(lines[1]), Hash: parseHash(lines[2])}
}

// treeOf computes the hashes of a log from its entries alone.
func treeOf(entries [][]byte) tlog.HashReader {
	var hashes []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		var found []tlog.Hash
		for _, index := range indexes {
			found = append(found, hashes[index])
		}
		return found, nil
	})
	for index, entry := range entries {
		added, err := tlog.StoredHashes(int64(index), entry, reader)
		check(err)
		hashes = append(hashes, added...)
	}
	return reader
}

// checkTiles compares every tile of a log of that size with the hashes of its entries.
func (s source) checkTiles(size int64, computed tlog.HashReader) {
	for level := 0; size>>(8*level) > 0; level++ {
		for _, tile := range tilesOf(level, size) {
			expected, err := tlog.ReadTileData(tile, computed)
			check(err)
			published, err := s.ReadTiles([]tlog.Tile{tile})
			check(err)
			if !bytes.Equal(published[0], expected) {
				log.Fatalf("%s has other hashes", tile.Path())
			}
		}
	}
}

// checkReceipt verifies the inclusion proof of a receipt for an entry.
func checkReceipt(receipt []byte, entry []byte, key string) {
	proofText, signed, found := bytes.Cut(receipt, []byte("\n\n"))
	lines := strings.Split(string(proofText), "\n")
	if !found || lines[0] != "c2sp.org/tlog-proof@v1" || !strings.HasPrefix(lines[1], "extra ") {
		log.Fatalf("not a receipt: %q", proofText)
	}
	index := parseSize(strings.TrimPrefix(lines[2], "index "))
	var proof tlog.RecordProof
	for _, line := range lines[3:] {
		hash, err := base64.StdEncoding.DecodeString(line)
		check(err)
		proof = append(proof, *(*tlog.Hash)(hash))
	}
	tree := checkpoint(signed, key)
	check(tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entry)))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	url := flag.String("log", "", "the address of the log")
	flag.Parse()
	files := source{folder: flag.Arg(0), url: *url}
	key := strings.TrimSpace(string(files.read("verifier-key")))
	var earlier []tlog.Tree
	for _, size := range flag.Args()[1:] {
		tree := checkpoint(files.read("checkpoints/"+size), key)
		if tree.N != parseSize(size) {
			log.Fatalf("the checkpoint of size %s has size %d", size, tree.N)
		}
		entries := files.entries(tree.N)
		if int64(len(entries)) != tree.N {
			log.Fatalf("the log of size %s has %d entries", size, len(entries))
		}
		computed := treeOf(entries)
		root, err := tlog.TreeHash(tree.N, computed)
		check(err)
		if root != tree.Hash {
			log.Fatalf("the checkpoint of size %s has another root", size)
		}
		files.checkTiles(tree.N, computed)
		// Reads and authenticates the tiles.
		reader := tlog.TileHashReader(tree, files)
		for _, index := range []int64{0, tree.N / 2, tree.N - 1} {
			proof, err := tlog.ProveRecord(tree.N, index, reader)
			check(err)
			hash := tlog.RecordHash(entries[index])
			check(tlog.CheckRecord(proof, tree.N, tree.Hash, index, hash))
		}
		for _, one := range earlier {
			ours := files.read(fmt.Sprintf("consistency/%d-%d", one.N, tree.N))
			var proof tlog.TreeProof
			for len(ours) > 0 {
				proof = append(proof, *(*tlog.Hash)(ours[:tlog.HashSize]))
				ours = ours[tlog.HashSize:]
			}
			check(tlog.CheckTree(proof, tree.N, tree.Hash, one.N, one.Hash))
		}
		checkReceipt(files.read("receipts/"+size), files.read("leaves/"+size), key)
		earlier = append(earlier, tree)
		fmt.Printf("verified %s\n", size)
	}
}
