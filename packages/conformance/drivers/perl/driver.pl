#!/usr/bin/env perl
use strict;
use warnings;
use FindBin;
use IO::Select;
use JSON::PP;
require "$FindBin::Bin/host.pl";

$SIG{PIPE} = 'IGNORE';
$| = 1;
my $JSON = JSON::PP->new->utf8->canonical->allow_nonref;
my (%runs, $finish, $text, $isOver);
$text = '';

sub say_line { print STDOUT $JSON->encode($_[0]), "\n" }

my %FLAGS = (model => '--model', maxTurns => '--max-turns', permissionMode => '--permission-mode', resume => '--resume');

sub start {
    my ($given) = @_;
    die { unsupported => "mode $given->{mode}" } if $given->{mode} ne 'query';
    my %options = %{ $given->{options} // {} };
    my $cli = delete $options{pathToClaudeCodeExecutable} // $given->{cli};
    my $cwd = delete $options{cwd} // $given->{cwd};
    my @flags = map { exists $options{$_} ? ($FLAGS{$_}, delete $options{$_}) : () } sort keys %FLAGS;
    die { unsupported => 'option ' . join ', ', sort keys %options } if %options;
    my $run = $given->{run} // 'main';
    my $tell = sub {
        my ($what, $value) = @_;
        my %more = $what eq 'end' ? () : $what eq 'stderr' ? (text => $value) : ($what => $value);
        say_line({ event => 'observed', run => $run, what => $what, %more });
    };
    # A program that cannot be started fails the loop, not the call.
    my $host = eval { Host->new(cli => $cli, cwd => $cwd, flags => \@flags, tell => $tell) };
    if (!$host) { my $error = $@; say_line({ id => $given->{id}, result => undef }); $tell->(error => ref $error ? $error : { kind => 'other', message => "$error", class => 'Error' }); return 'answered' }
    $runs{$run} = $host;
    if (!$given->{stream}) { $host->send($given->{prompt}); $host->end_input }
    return undef;
}

my %COMMANDS = (
    start => \&start,
    send => sub { my ($given) = @_; run_of($given)->send($given->{content}, $given->{fields}); undef },
    end_input => sub { run_of($_[0])->end_input; undef },
    close => sub { my $host = run_of($_[0]); $host->close unless $host->{over}; undef },
    finish => sub { $_->close for grep { !$_->{over} } values %runs; $finish = $_[0]{id}; 'answered' },
);

sub run_of { $runs{ $_[0]{run} // 'main' } // die { kind => 'closed', message => 'no such run', class => 'Closed' } }

sub command {
    my ($given) = @_;
    my $does = $COMMANDS{ $given->{command} } or return say_line({ id => $given->{id}, unsupported => "command $given->{command}" });
    my $result = eval { $does->($given) };
    if (my $error = $@) {
        return say_line({ id => $given->{id}, unsupported => $error->{unsupported} }) if ref $error && $error->{unsupported};
        return say_line({ id => $given->{id}, error => ref $error ? $error : { kind => 'other', message => "$error", class => 'Error' } });
    }
    say_line({ id => $given->{id}, result => $result }) unless defined $result && $result eq 'answered';
}

say_line({ event => 'hello', protocol => 1, driver => 'perl', sdk => 'none', version => '1', language => 'perl',
    features => ['query', 'query-stream', 'query:native', 'query:close', 'messages:frames', 'messages:ids', 'stderr', 'prompt:text'] });

until ($isOver) {
    my @hosts = values %runs;
    my @readers = (\*STDIN, map { $_->readers } @hosts);
    my $select = IO::Select->new(@readers);
    my $writable = IO::Select->new(map { $_->writers } @hosts);
    my ($ready, $free) = IO::Select->select($select, $writable, undef, 0.05);
    for my $handle (@{ $ready // [] }) {
        if ($handle == \*STDIN) {
            my $count = sysread STDIN, $text, 65536, length $text;
            $isOver = 1 if defined $count && $count == 0;
            while ($text =~ s/^([^\n]*)\n//) { command($JSON->decode($1)) }
            next;
        }
        for my $host (@hosts) { $host->read_from($handle) if grep { $_ == $handle } $host->readers }
    }
    $_->flush for @hosts;
    my @open = grep { !$_->is_over } @hosts;
    if (defined $finish && !@open) { %runs = (); say_line({ id => $finish, result => undef }); undef $finish }
}
