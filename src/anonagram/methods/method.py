"""What every method does around its own idea: verify, claim, and keep the mapping apart."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import ClassVar, final

from anonagram.calls import Call, require
from anonagram.errors import CallError, CannotAnonymize, PromiseBroken
from anonagram.key import Key
from anonagram.measures.published import measure_published
from anonagram.methods.blocks import rearrange_blocks
from anonagram.methods.publication import Publication
from anonagram.microdata import Microdata
from anonagram.models import Finding, PrivacyModel
from anonagram.partition import Division, Secrets, content_digest, cut_into_blocks
from anonagram.profile.given_away import refuse_given_away
from anonagram.profile.personal import refuse_personal
from anonagram.release import Claim, Manifest, Release, Series, describe
from anonagram.runtime.progress import step
from anonagram.runtime.threads import beside
from anonagram.schema import Role

NEEDED = {"quasi": "quasi-identifier", "sensitive": "sensitive column"}
REMEDIES = {
    "quasi": 'give a column that an intruder may know the role "quasi".',
    "sensitive": 'give a column the role "sensitive", or take the method "permutation".',
}


class Method(Call, home="anonagram.methods"):
    """How to anonymize: a frozen dataclass of parameters."""

    noun = "method"

    shape: ClassVar[type[Release]]
    """What it publishes."""

    @abstractmethod
    def promises(self, microdata: Microdata) -> tuple[PrivacyModel, ...]:
        """The models that every release of this method satisfies."""

    @abstractmethod
    def rearrange(self, microdata: Microdata, key: Key, manifest: Manifest) -> Publication:
        """The method's own work: make the published tables and the mapping.

        The key is the release's own: what it draws depends on the table and the call as well.
        """

    continues: ClassVar[bool] = False
    """Whether it keeps its promise over a series of releases, with what is remembered of earlier ones."""

    def rearrange_again(
        self,
        microdata: Microdata,  # noqa: ARG002
        key: Key,  # noqa: ARG002
        manifest: Manifest,  # noqa: ARG002
        earlier: Series,
    ) -> Publication:
        """The same after earlier releases of these people, so that all together keep the promise."""
        raise CannotAnonymize(
            f"{self.call} keeps its promise by itself, not together with {earlier.number} earlier "
            "releases.",
            "m_invariance(m=4) keeps it over a series of releases.",
        )

    def find(
        self,
        model: PrivacyModel,
        microdata: Microdata,  # noqa: ARG002
        publication: Publication,
    ) -> Finding:
        """Whether a promise is kept; most need nothing but the release."""
        return model.check(publication.release)

    undivided: ClassVar[str] = ""
    """Why it cannot work on a table block by block; empty where it can."""

    def division(self, table: Microdata) -> Division:  # noqa: ARG002
        """Which rows can be worked on apart: all that a method says to be divided.

        Each block must be a table that the method can work on, and its release together with those
        of the others one that keeps the method's promise. Of the table nothing is known here but
        its columns and how often each value occurs; the rows may be elsewhere.
        """
        raise CannotAnonymize(
            f"{self.call} cannot work block by block: {self.undivided}.", "leave the table whole."
        )

    def require_fit(self, microdata: Microdata) -> None:
        """Refuse at once what a look at the columns shows; the rest is found while it works."""

    def require_roles(self, microdata: Microdata, *roles: Role) -> None:
        """Refuse a table without a column for each of these roles."""
        for role in roles:
            if not microdata.with_role(role):
                raise CannotAnonymize(
                    f"{self.call} needs a {NEEDED[role]}; the schema has none.", REMEDIES[role]
                )

    def anonymize(self, microdata: Microdata, key: Key | None = None) -> Release:
        """Make a release and verify its promise; the key is drawn when none is given."""
        return self.publish(microdata, key or Key.generate()).release

    @final
    def publish(
        self,
        microdata: Microdata,
        key: Key,
        created: date | None = None,
        *,
        block: int | None = None,
        earlier: Series | None = None,
    ) -> Publication:
        """Make and verify a release, and hand the secret mapping over beside it.

        With `block`, the table is cut into blocks of about so many rows that are worked on apart.
        Then the order of its rows plays no part, and neither do number and order of the workers;
        the size of the blocks does, and a table as a whole gives another release again.

        `earlier` is what the private file of the release before this one remembers, where both are
        to keep the promise together.
        """
        if not isinstance(microdata, Microdata):
            raise CallError(
                f"A {type(microdata).__name__} has no roles yet.", "Microdata.read(table, schema)"
            )
        if not isinstance(key, Key):
            raise CallError(
                f"A {type(key).__name__} is no key.", "Key.read(path), or Key.generate()"
            )
        self.require_fit(microdata)
        given_away = beside(lambda: refuse_given_away(microdata))
        personal = beside(lambda: refuse_personal(microdata))
        if block is None:
            _ = microdata.digest  # kept until it is asked for
        personal()
        given_away()
        require(
            block is None or block > 0,
            f"A block of {block} rows is none.",
            "block=1_000_000.",
        )
        publication = self._rearranged(microdata, key, created, block, earlier)
        step("Checking the promise")
        measured = beside(lambda: measure_published(publication.release))
        claims = tuple(self._claims(publication, microdata))
        step("Measuring")
        risk, utility = measured()
        told = replace(publication.release.manifest, claims=claims, risk=risk, utility=utility)
        return replace(publication, release=publication.release.telling(told), key=key)

    def _rearranged(
        self,
        microdata: Microdata,
        key: Key,
        created: date | None = None,
        block: int | None = None,
        earlier: Series | None = None,
    ) -> Publication:
        """What is published, before its promise is checked and its figures are told."""
        digest = microdata.digest if block is None else content_digest(microdata, key)
        digest = digest if earlier is None else earlier.after(digest)
        manifest, own = self.begin(microdata, key, created, digest)
        if earlier is not None:
            return self.rearrange_again(microdata, own, manifest, earlier)
        if block is None:
            return self.rearrange(microdata, own, manifest)
        secrets = Secrets.of(key, microdata, repr(self), block)
        blocks = cut_into_blocks(microdata, self.division(microdata), secrets, block, own)
        return rearrange_blocks(self, microdata, blocks, own.at("rows", block), manifest)

    def begin(
        self, table: Microdata, key: Key, created: date | None, digest: bytes
    ) -> tuple[Manifest, Key]:
        """The manifest of a release about to be made, and the key that it draws from.

        From here on there is no other key, so no draw can be shared between releases.
        """
        manifest = describe(repr(self), table, key, created, digest)
        manifest = manifest.with_layout(self.shape.own_names(manifest.columns))
        return manifest, key.derived(digest, repr(self).encode())

    def _claims(self, publication: Publication, microdata: Microdata) -> Iterator[Claim]:
        """What the method promises, each promise with what the release achieves of it."""
        for model in self.promises(microdata):
            yield self.claim(model, publication, microdata)

    def claim(self, model: PrivacyModel, publication: Publication, microdata: Microdata) -> Claim:
        """A promise with what the release achieves of it."""
        finding = self.find(model, microdata, publication)
        if not finding.holds:
            raise PromiseBroken(f"{self!r} made a release on which {finding}.", "report this.")
        return Claim(repr(model), finding.achieved)
